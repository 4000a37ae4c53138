package volsh.command.place;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.block.Bandwidth;
import volsh.block.Pause;
import volsh.command.Examples;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.unit.Rate;
import volsh.volume.Access;
import volsh.volume.VolumePath;
import volsh.volume.Volumes;

@Command(name = "migrate", description = {"Move the blocks of files to where their layout wants them.",
        "With a layout given, files and directories at and below the path get it first. A block is copied, checked, written down and only then"
                + " deleted where it was: readers and writers go on. Stopped, it goes on where it was when run again. Blocks keep their length:"
                + " --size counts for what is written from then on."})
@Examples({"volsh stripe migrate big:/hot --mirror 2", "volsh stripe migrate big:/hot --limit 500MiB/s"})
final class StripeMigrate implements Mutation<Rows<StripeMigrate.Result>> {
    @Parameters(paramLabel = "VOL:/PATH", description = "The directory or file.")
    private String place;

    @Mixin
    private LayoutOptions options;

    @Option(names = "--limit", paramLabel = "RATE", description = "Move no faster than this: 500MiB/s.")
    private Rate limit;

    record Result(String path, long files, long moved) {}

    static final Columns<Result> COLUMNS = Columns.of(Result.class)
            .text("path", Result::path).number("files", Result::files).number("moved", Result::moved);

    @Override
    public Columns<?> columns() {
        return COLUMNS;
    }

    @Override
    public Plan plan(Session session) throws Exception {
        var path = VolumePath.of(place);
        var policy = options.policy();
        if (policy.isPresent()) {
            session.service(Volumes.class).spreading().checkPolicy(path.volume(), policy.get());
        }
        try (var caring = new Caring(session, path.volume(), Access.READ, "stripe migrate")) {
            var found = Caring.find(caring.volume(), path);
            return Plan.of("move", "the blocks below " + path,
                    policy.map(Object::toString).orElse(StripeGet.policy(caring.volume(), found.ino()).toString()));
        }
    }

    @Override
    public Rows<Result> run(Session session) throws Exception {
        var path = VolumePath.of(place);
        var policy = options.policy();
        if (policy.isPresent()) {
            session.service(Volumes.class).spreading().checkPolicy(path.volume(), policy.get());
        }
        try (var caring = new Caring(session, path.volume(), Access.WRITE, "stripe migrate")) {
            if (limit != null) {
                caring.care().limit(new Bandwidth(limit, Pause.REAL));
            }
            if (policy.isPresent()) {
                int number = caring.volume().spot().orElseThrow().store().repair().numberOf(policy.get());
                caring.volume().vfs().setLayout(Caring.find(caring.volume(), path).ino(), number);
                Caring.all(caring.volume(), path, found -> caring.volume().vfs().setLayout(found, number));
            }
            long[] counts = new long[2];
            Caring.files(caring.volume(), path, (name, file) -> {
                counts[0]++;
                counts[1] += caring.care().migrate(file.ino());
            });
            session.say("moved %d blocks of %d files".formatted(counts[1], counts[0]));
            return Rows.one(COLUMNS, new Result(path.toString(), counts[0], counts[1]));
        }
    }
}
