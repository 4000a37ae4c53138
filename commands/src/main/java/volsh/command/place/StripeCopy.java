package volsh.command.place;

import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import volsh.catalog.Access;
import volsh.catalog.VolumePath;
import volsh.command.Examples;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.fs.ShellWord;

@Command(name = "copy", description = {"Copy the layout of one directory or file to another.",
        "Like 'volsh stripe set': existing data stays where it is."})
@Examples("volsh stripe copy big:/hot big:/new")
final class StripeCopy implements Mutation<Rows<StripeSet.Result>> {
    private static final Columns<StripeSet.Result> COLUMNS =
            Columns.of(StripeSet.Result.class).text("path", StripeSet.Result::path)
                    .text("layout", StripeSet.Result::layout);

    @Parameters(index = "0", paramLabel = "VOL:/PATH", description = "Source of the layout.")
    private String source;

    @Parameters(index = "1", paramLabel = "VOL:/PATH",
            description = "Directory or file to change, in the same volume.")
    private String target;

    @Override
    public Columns<?> columns() {
        return COLUMNS;
    }

    @Override
    public Plan plan(Session session) throws Exception {
        var from = VolumePath.of(source);
        try (var caring = new Caring(session, from.volume(), Access.READ, "stripe copy")) {
            var policy = StripeGet.policy(caring.volume(), Caring.find(caring.volume(), from).ino());
            Caring.find(caring.volume(), target());
            return Plan.of("set", "layout of " + target, policy.toString());
        }
    }

    private VolumePath target() {
        var path = VolumePath.of(target);
        if (!path.volume().equals(VolumePath.of(source).volume())) {
            throw CommandFailure.usage("source and target must be in the same volume")
                    .hint("volsh stripe set " + ShellWord.of(target) + " --mirror 2");
        }
        return path;
    }

    @Override
    public Rows<StripeSet.Result> run(Session session) throws Exception {
        var from = VolumePath.of(source);
        try (var caring = new Caring(session, target().volume(), Access.WRITE, "stripe copy")) {
            var spot = caring.volume().spot().orElseThrow();
            long given = Caring.find(caring.volume(), from).ino();
            long ino = Caring.find(caring.volume(), target()).ino();
            caring.volume().vfs().setLayout(ino, spot.rows().ofInode(given));
            return Rows.one(COLUMNS, new StripeSet.Result(target, StripeGet.policy(caring.volume(), ino).toString()));
        }
    }
}
