package volsh.command.place;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
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
import volsh.place.LayoutPolicy;
import volsh.volume.Volumes;

@Command(name = "set", description = {"Set the layout of what is written from now on.",
        "On a directory: of files and directories created in it. On a file: of its new blocks. On a volume, without a"
                + " path: of everything that no directory overrides. Existing data stays where it is; 'volsh stripe"
                + " migrate' moves it."})
@Examples({"volsh stripe set big:/ckpt --count 4 --size 64KiB", "volsh stripe set big:/hot --mirror 3",
        "volsh stripe set big:/hot --mirror 3 --quorum 3", "volsh stripe set big:/archive --ec 4+2",
        "volsh stripe set big:/mix -E 64MiB -c 1 -E -1 -c -1", "volsh stripe set big:/hot --inherit"})
final class StripeSet implements Mutation<Rows<StripeSet.Result>> {
    @Parameters(paramLabel = "VOLUME[:PATH]", description = "Directory, file or volume.")
    private String place;

    @Mixin
    private LayoutOptions options;

    @Option(names = "--inherit", description = "Clear this layout; use the volume's.")
    private boolean inherit;

    record Result(String path, String layout) {}

    private static final Columns<Result> COLUMNS = Columns.of(Result.class).text("path", Result::path)
            .text("layout", Result::layout);

    @Override
    public Columns<?> columns() {
        return COLUMNS;
    }

    private String volume() {
        return place.contains(":") ? VolumePath.of(place).volume() : place;
    }

    private LayoutPolicy policy() {
        var policy = options.policy();
        if (policy.isPresent() == inherit) {
            throw CommandFailure.usage("missing layout: give --stripe-count, --mirror, --ec, --layout or --inherit")
                    .hint("volsh stripe set " + ShellWord.of(place) + " --mirror 2");
        }
        return policy.orElse(null);
    }

    @Override
    public Plan plan(Session session) throws Exception {
        var policy = policy();
        if (policy != null) {
            session.service(Volumes.class).spreading().checkPolicy(volume(), policy);
        }
        return Plan.of("set", "layout of " + place, inherit ? "the volume's" : policy.toString());
    }

    @Override
    public Rows<Result> run(Session session) throws Exception {
        var policy = policy();
        var volumes = session.service(Volumes.class);
        if (policy != null) {
            volumes.spreading().checkPolicy(volume(), policy);
        }
        if (!place.contains(":")) {
            if (inherit) {
                throw CommandFailure.usage("--inherit needs a directory or a file: a volume has nothing to inherit"
                        + " from");
            }
            volumes.spreading().setPolicy(place, policy);
            return Rows.one(COLUMNS, new Result(place, policy.toString()));
        }
        var path = VolumePath.of(place);
        try (var caring = new Caring(session, path.volume(), Access.WRITE, "stripe set")) {
            var found = Caring.find(caring.volume(), path);
            var repair = caring.volume().spot().orElseThrow().store().repair();
            caring.volume().vfs().setLayout(found.ino(), inherit ? 0 : repair.numberOf(policy));
            return Rows.one(COLUMNS,
                    new Result(path.toString(), StripeGet.policy(caring.volume(), found.ino()).toString()));
        }
    }
}
