package volsh.command.demo;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.StringJoiner;
import java.util.function.Function;
import picocli.CommandLine.Command;
import volsh.codec.CorruptBlockException;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.Outcome;
import volsh.command.Services;
import volsh.command.Session;
import volsh.command.failure.ExitCode;
import volsh.command.render.OutputFormat;
import volsh.command.render.Rows;
import volsh.command.run.CommandTree;
import volsh.disk.LocalTrees;
import volsh.transfer.Summary;
import volsh.unit.ByteSize;

@Command(name = "demo",
        description = {"Demonstrate the main job end to end in a scratch home, removed afterwards.",
        "Puts a small data set into a volume and gets it back with the same SHA-256; then flips a stored bit, which"
                + " must be detected. Touches nothing else on the machine. Exit 0 only when everything was as"
                + " claimed."})
@Examples({"volsh demo", "volsh demo -o json"})
public final class Demo implements Action<Outcome<Rows<Story.Step>>> {
    private static final String VOLUME = "training-data";
    private static final String SHOW = "volume show " + VOLUME
            + " --columns blockSize,compression,used,inodes,stored,ratio";

    private final Function<Services, CommandTree> tree;
    private final Vandal vandal;

    /** Damages one of the files below a directory. */
    interface Vandal {
        Damage damage(Path store) throws IOException;
    }

    /** {@code tree} makes the program's commands for a home of the demo's own. */
    public Demo(Function<Services, CommandTree> tree) {
        this(tree, Damage::to);
    }

    Demo(Function<Services, CommandTree> tree, Vandal vandal) {
        this.tree = tree;
        this.vandal = vandal;
    }

    @Override
    public Outcome<Rows<Story.Step>> run(Session session) throws Exception {
        boolean table = session.options().output().kind() == OutputFormat.Kind.TABLE;
        var story = new Story(table ? session.out() : OutputStream.nullOutputStream(), session.cancellation());
        ExitCode exit = tell(story, session);
        return new Outcome<>(table ? null : Rows.of(Story.COLUMNS, story.steps()), exit);
    }

    private ExitCode tell(Story story, Session session) throws Exception {
        long start = System.nanoTime();
        try (var scratch = ScratchDirectory.make(session.environment())) {
            story.tell("Everything happens below " + scratch.path() + ", which is removed at the end.\n\n");
            var proven = play(story, session, scratch.path());
            story.tell("\nproven in %.1f s: %s%n".formatted((System.nanoTime() - start) / 1e9, proven));
            return ExitCode.OK;
        } catch (Story.Broken broken) {
            story.tell("\nNOT proven: " + String.valueOf(broken.getMessage()).strip() + "\n");
            return ExitCode.INTEGRITY;
        }
    }

    /** Runs all steps. @return what they prove */
    private String play(Story story, Session session, Path scratch) throws Exception {
        var home = new DemoHome(session, tree, scratch.resolve("home"));
        Path data = scratch.resolve("dataset");
        Path copy = scratch.resolve("copy");
        var cancellation = session.cancellation();
        Dataset.make(data, cancellation);
        Map<String, String> digests = Dataset.digests(data, cancellation);

        command(story, home, "volume create " + VOLUME + " --block-size 1MiB --compression lz4");
        story.command("volsh put -r " + data + " " + VOLUME + ":/",
                () -> copied(home.put(data, VOLUME), digests.size()));
        story.command("volsh ls " + VOLUME + ":/dataset", () -> home.list(VOLUME, "/dataset"));
        story.command("volsh get -r " + VOLUME + ":/dataset " + copy,
                () -> copied(home.get(VOLUME, "/dataset", copy, new StringJoiner("; ")), digests.size()));
        story.aside("SHA-256 of every file, before and after",
                () -> same(digests, Dataset.digests(copy, cancellation)));
        story.command("volsh " + SHOW, () -> home.succeed(SHOW).out());
        LocalTrees.remove(copy);
        story.aside("flip one bit of a stored block, as a failing disk would",
                () -> damage(scratch.resolve("home/state/blocks")));
        story.command("volsh get -r " + VOLUME + ":/dataset " + copy, () -> noticed(home, copy, digests, session));
        command(story, home, "volume destroy " + VOLUME + " --confirm " + VOLUME);
        story.aside("files left of the volume",
                () -> nothingIn(scratch.resolve("home/state/blocks"), scratch.resolve("home/state/volumes")));
        return digests.size()
                + " files came back with the same SHA-256; volsh detected one flipped bit and returned no wrong byte;"
                + " nothing is left behind";
    }

    private static void command(Story story, DemoHome home, String line) throws Exception {
        story.command("volsh " + line, () -> home.succeed(line).err());
    }

    private static String copied(Summary summary, int expected) throws Story.Broken {
        if (summary.failed() > 0 || summary.files() != expected) {
            throw new Story.Broken("%d of %d files copied, %d failed"
                    .formatted(summary.files(), expected, summary.failed()));
        }
        return "%d files, %s".formatted(summary.files(), new ByteSize(summary.bytes()));
    }

    private static String same(Map<String, String> before, Map<String, String> after) throws Story.Broken {
        if (!before.equals(after)) {
            throw new Story.Broken("the copy differs from the original");
        }
        return after.size() + " of " + before.size() + " are identical";
    }

    private String damage(Path store) throws IOException {
        Damage damage = vandal.damage(store);
        return "byte %d of %s".formatted(damage.offset(), store.relativize(damage.block()));
    }

    /** Reads everything again: damaged files must fail, and all returned files must be intact. */
    private static String noticed(DemoHome home, Path copy, Map<String, String> digests, Session session)
            throws Exception {
        var failures = new StringJoiner("\n");
        try {
            home.get(VOLUME, "/dataset", copy, failures);
        } catch (CorruptBlockException refused) {
            failures.add(refused.getMessage());
        }
        if (failures.length() == 0) {
            throw new Story.Broken("volsh did not detect the damage");
        }
        Map<String, String> given = Files.exists(copy) ? Dataset.digests(copy, session.cancellation()) : Map.of();
        for (var file : given.entrySet()) {
            if (!file.getValue().equals(digests.get(file.getKey()))) {
                throw new Story.Broken("volsh returned wrong bytes as " + file.getKey());
            }
        }
        return "refused: %s%n%d other files are intact".formatted(failures, given.size());
    }

    private static String nothingIn(Path... places) throws Exception {
        for (Path place : places) {
            try (var left = Files.walk(place)) {
                long files = left.filter(Files::isRegularFile).count();
                if (files > 0) {
                    throw new Story.Broken(files + " files are left in " + place);
                }
            }
        }
        return "nothing";
    }
}
