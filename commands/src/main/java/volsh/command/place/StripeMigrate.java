package volsh.command.place;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.block.Bandwidth;
import volsh.block.Pause;
import volsh.catalog.Access;
import volsh.catalog.Migrations.Unfinished;
import volsh.catalog.VolumePath;
import volsh.command.Examples;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.fs.ShellWord;
import volsh.unit.Rate;
import volsh.volume.Volumes;

@Command(name = "migrate", description = {"Move the blocks of files to where their layout wants them.",
        "With a layout given, files and directories at and below the path get it first. Each block is copied,"
                + " verified, recorded and only then deleted at its old place: readers and writers continue. Blocks"
                + " keep their length: --size applies to later writes.",
        "A stopped or killed migration is unfinished: --resume continues with the same layout and limit. Moved blocks"
                + " are not moved again."})
@Examples({"volsh stripe migrate big:/hot --mirror 2", "volsh stripe migrate big:/hot --limit 500MiB/s"})
final class StripeMigrate implements Mutation<Rows<StripeMigrate.Result>> {
    @Parameters(paramLabel = "VOL:/PATH", description = "Directory or file.")
    private String place;

    @Mixin
    private LayoutOptions options;

    @Option(names = "--limit", paramLabel = "RATE", description = "Limit the rate, such as 500MiB/s.")
    private Rate limit;

    @Option(names = "--resume",
            description = "Continue a stopped migration of this path with its settings; --limit may change.")
    private boolean resume;

    record Result(String path, long files, long moved) {}

    static final Columns<Result> COLUMNS = Columns.of(Result.class)
            .text("path", Result::path).number("files", Result::files).number("moved", Result::moved);

    @Override
    public Columns<?> columns() {
        return COLUMNS;
    }

    @Override
    public Plan plan(Session session) throws Exception {
        var asked = asked(session);
        var path = VolumePath.of(place);
        try (var caring = new Caring(session, path.volume(), Access.READ, "stripe migrate")) {
            var found = Caring.find(caring.volume(), path);
            return Plan.of("move", "blocks below " + path,
                    asked.layout().map(Object::toString)
                            .orElse(StripeGet.policy(caring.volume(), found.ino()).toString()));
        }
    }

    /** The migration: as the options define it, or as it was started. */
    private Unfinished asked(Session session) throws Exception {
        var path = VolumePath.of(place);
        var spreading = session.service(Volumes.class).spreading();
        var layout = options.policy();
        if (resume) {
            if (layout.isPresent() || options.size().isPresent()) {
                throw CommandFailure.usage(
                        "--resume and a layout exclude each other: --resume continues with the original layout");
            }
            var migrations = spreading.migrations(path.volume());
            var begun = migrations.find(key(path));
            if (begun.isEmpty()) {
                throw none(path, migrations.list());
            }
            return new Unfinished(key(path), begun.get().layout(), Optional.ofNullable(limit).or(begun.get()::limit),
                    begun.get().began());
        }
        if (layout.isPresent()) {
            spreading.checkPolicy(path.volume(), layout.get());
        }
        return new Unfinished(key(path), layout, Optional.ofNullable(limit), session.clock().instant());
    }

    /** The normalized path, as recorded. */
    private static String key(VolumePath path) {
        return Path.of(path.path()).normalize().toString();
    }

    private static CommandFailure none(VolumePath path, List<Unfinished> others) {
        var failure = CommandFailure.of(ExitCode.NOT_FOUND, "VOL-0003", "there is no unfinished migration of " + path);
        for (var other : others) {
            failure = failure.detail("unfinished: %s, started %s".formatted(path.at(other.path()), other.began()));
        }
        return failure.hint("volsh stripe migrate " + ShellWord.of(path));
    }

    @Override
    public Rows<Result> run(Session session) throws Exception {
        var asked = asked(session);
        var path = VolumePath.of(place);
        var migrations = session.service(Volumes.class).spreading().migrations(path.volume());
        try (var caring = new Caring(session, path.volume(), Access.WRITE, "stripe migrate")) {
            Caring.find(caring.volume(), path);
            migrations.begin(asked);
            Result result;
            try {
                result = move(caring, path, asked);
            } catch (Exception stopped) {
                session.say("unfinished; to continue: volsh stripe migrate " + ShellWord.of(path) + " --resume");
                throw stopped;
            }
            migrations.end(asked.path());
            session.say("moved %d block%s of %d file%s".formatted(result.moved(), result.moved() == 1 ? "" : "s",
                    result.files(), result.files() == 1 ? "" : "s"));
            return Rows.one(COLUMNS, result);
        }
    }

    private static Result move(Caring caring, VolumePath path, Unfinished asked) throws IOException {
        asked.limit().ifPresent(rate -> caring.care().limit(new Bandwidth(rate, Pause.REAL)));
        if (asked.layout().isPresent()) {
            int number = caring.volume().spot().orElseThrow().store().repair().numberOf(asked.layout().get());
            caring.volume().vfs().setLayout(Caring.find(caring.volume(), path).ino(), number);
            Caring.all(caring.volume(), path, found -> caring.volume().vfs().setLayout(found, number));
        }
        var files = new AtomicLong();
        long moved = caring.care().migrate(each -> Caring.files(caring.volume(), path, (_, file) -> {
            files.incrementAndGet();
            each.file(file.ino());
        }));
        return new Result(path.toString(), files.get(), moved);
    }
}
