package volsh.command.run;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.command.Action;
import volsh.command.Converters;
import volsh.command.Examples;
import volsh.command.Guard;
import volsh.command.Mutation;
import volsh.command.Outcome;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.builtin.Builtins;
import volsh.command.complete.Candidate;
import volsh.command.complete.CompletionSources;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.unit.ByteSize;

/** A small product: volumes that are only names in a list. */
public final class SampleCommands {
    private SampleCommands() {}

    /** The service behind the commands. */
    public static final class Shelf {
        public final List<String> names = new ArrayList<>(List.of("train", "eval"));
    }

    public enum Compression { NONE, LZ4, ZSTD_FAST }

    public record Volume(String name, ByteSize block) {}

    public static CommandTree tree() {
        var sources = new CompletionSources(java.time.Duration.ofSeconds(60))
                .with("VOLUME", prefix -> List.of(Candidate.name("train", "14GiB"), Candidate.name("eval", "1GiB")))
                .with("PATH", prefix -> List.of(Candidate.name("train:", ""), Candidate.name("train:/shards/", "dir")))
                .with("STORE", prefix -> {
                    throw new IllegalStateException("the store is down");
                });
        return Builtins.tree(List.of(
                Node.group("volume", "Volumes.", Node.command("create", Create::new), Node.command("list", ListAll::new)
                        .alias("ls"),
                        Node.command("destroy", Destroy::new).alias("rm"), Node.command("fail", Fail::new))
                                .alias("vol"),
                Node.group("snapshot", "Snapshots.", Node.command("destroy", Destroy::new)),
                Node.command("copy", Copy::new), Node.command("count", Count::new)), Converters.standard(), sources);
    }

    @Command(name = "create", description = "Create a volume.")
    @Examples("volsh volume create imagenet --block-size 8MiB")
    static final class Create implements Mutation<Volume> {
        @Parameters(paramLabel = "NAME", description = "Its name.")
        String name = "";
        @Option(names = {"--block-size", "--blockSize"}, paramLabel = "SIZE", defaultValue = "4MiB",
                description = "A power of two (default: ${DEFAULT-VALUE}).")
        ByteSize blockSize = new ByteSize(0);
        @Option(names = {"-c", "--compression"}, paramLabel = "CODEC", description = "none, lz4 or zstd-fast.")
        Compression compression = Compression.LZ4;
        @Option(names = "--store", paramLabel = "STORE", description = "Where.")
        String store = "";
        @Option(names = "--label", paramLabel = "LABEL", split = ",", description = "Labels.")
        List<Compression> labels = List.of();

        @Override
        public Columns<?> columns() {
            return Columns.derived(Volume.class);
        }

        @Override
        public Plan plan(Session session) throws Exception {
            boolean there = session.service(Shelf.class).names.contains(name);
            return there ? Plan.NOTHING : Plan.of("create", "volume '" + name + "'", blockSize + " blocks");
        }

        @Override
        public Volume run(Session session) throws Exception {
            session.service(Shelf.class).names.add(name);
            session.say("created volume " + name + " (" + blockSize + ", " + Converters.word(compression) + ")");
            return new Volume(name, blockSize);
        }
    }

    @Command(name = "list", description = "List volumes.")
    @Examples("volsh volume list")
    static final class ListAll implements Action<Rows<Volume>> {
        @Override
        public Rows<Volume> run(Session session) throws Exception {
            var rows = session.service(Shelf.class).names.stream().map(name -> new Volume(name, new ByteSize(4096)))
                    .toList();
            return Rows.of(Columns.of(Volume.class).text("name", Volume::name).bytes("block", Volume::block), rows);
        }
    }

    @Command(name = "destroy", description = "Destroy a volume.")
    @Examples("volsh volume destroy train -y")
    static final class Destroy implements Mutation<Void> {
        @Parameters(paramLabel = "VOLUME", description = "Its name.")
        String name = "";
        @Option(names = "--purge", description = "For ever.")
        boolean purge;

        @Override
        public Columns<?> columns() {
            return Columns.NONE;
        }

        @Override
        public Plan plan(Session session) {
            return Plan.of("destroy", "volume '" + name + "'", purge ? "for ever" : "");
        }

        @Override
        public Guard guard(Session session) {
            String question = "destroy volume '" + name + "'?";
            return purge ? new Guard.TypeName(question, name) : new Guard.Ask(question);
        }

        @Override
        public Void run(Session session) throws Exception {
            if (!session.service(Shelf.class).names.remove(name)) {
                throw CommandFailure.of(ExitCode.NOT_FOUND, "VOL-0404", "no volume '" + name + "'")
                        .hint("volsh volume list");
            }
            return null;
        }
    }

    @Command(name = "fail", description = "Fail.")
    @Examples("volsh volume fail")
    static final class Fail implements Action<Outcome<String>> {
        @Option(names = "--partial", description = "Only partly.")
        boolean partial;

        @Override
        public Outcome<String> run(Session session) {
            if (partial) {
                return new Outcome<>("half", ExitCode.PARTIAL);
            }
            throw new IllegalStateException("journal closed");
        }
    }

    @Command(name = "copy", description = "Copy.")
    @Examples("volsh copy a.bin train:/")
    static final class Copy implements Action<Void> {
        @Option(names = {"-r", "--recursive"}, description = "Directories too.")
        boolean recursive;
        @Option(names = "--log", paramLabel = "FILE", description = "A log.")
        Path log;
        @Parameters(index = "0", paramLabel = "FILE", description = "From.")
        String from = "";
        @Parameters(index = "1", paramLabel = "PATH", description = "To.")
        String to = "";

        @Override
        public Void run(Session session) throws Exception {
            session.out().write((from + ">" + to + "\n").getBytes());
            return null;
        }
    }

    @Command(name = "count", description = "Count.")
    @Examples("volsh count 3 -o jsonl")
    static final class Count implements Action<Rows<Integer>> {
        @Parameters(paramLabel = "N", description = "How far.")
        int to;

        @Override
        public Rows<Integer> run(Session session) {
            return Rows.lazy(Columns.of(Integer.class).number("n", n -> n), IntStream.range(0, to).boxed().peek(n -> {
                if (n == 4000) {
                    throw new java.io.UncheckedIOException(new java.nio.file.NoSuchFileException("row 4000"));
                }
            }));
        }
    }
}
