package volsh.command.tree;

import com.fasterxml.jackson.core.JsonFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import picocli.CommandLine.Model.CommandSpec;
import volsh.command.Mutation;
import volsh.command.Services;
import volsh.command.failure.ExitCode;
import volsh.command.man.Manual;

/**
 * Runs the examples of every command, or a part of the commands, those of one command in order, each command in a new
 * home and a new working directory. There are a volume {@code training-data} that holds what is in {@code dataset/}, an
 * unused store {@code lake}, shards of the dataset for the commands that read them, two snapshots of the volume where
 * examples name them, a service for {@code /mnt/data} in
 * {@code units/}, and the files below. Examples that go back by hours are left out: the volume is not that old.
 */
final class ExamplesProgram {
    private static final Path WORK = Path.of("").toAbsolutePath();
    private static final int TRIES = 20;
    /**
     * Start processes of the whole program, which is not there yet when this module is tested, or need two homes: other
     * tests run what they show.
     */
    private static final Set<String> ELSEWHERE = Set.of("mount", "umount", "mounts", "helper", "resize", "prefetch",
            "attach", "detach", "ship", "job", "queue", "watch", "doctor", "token", "trace", "console",
            "gateway", "demo", "willneed", "dontneed", "sequential", "random", "normal");

    /** Use the bucket {@code s3://training} of the server that the environment names, or the store {@code archive}. */
    private static final Predicate<String> SERVED = Pattern.compile(
            "volsh (cat|cp|du|find|get|ls|mv|put|rm|stat|sync|store abort-uploads) .*\\w+://.*|volsh import .*")
            .asMatchPredicate();
    /** The endpoint that examples name. */
    private static final String ENDPOINT = "http://127.0.0.1:9000";

    /**
     * Each of their examples lasts as long as its interval, and one of them is with {@code -o json}: the others are not
     * run a second time.
     */
    private static final Set<String> WATCHING = Set.of("top", "stats", "iostat");

    /** What they print is the content of something, or a page. */
    private static final Set<String> TEXT = Set.of("cat", "get", "completion", "man", "help", "run",
            "__complete");

    private final Path home;
    private final int part;
    private final int parts;
    private int commands;
    private int failures;

    private ExamplesProgram(Path home, int part, int parts) {
        this.home = home;
        this.part = part;
        this.parts = parts;
    }

    public static void main(String[] arguments) throws IOException {
        var program = new ExamplesProgram(Path.of(arguments[0]), Integer.parseInt(arguments[1]),
                Integer.parseInt(arguments[2]));
        program.visit(Commands.tree(new Services()).spec());
        System.exit(program.failures == 0 ? 0 : 1);
    }

    private void visit(CommandSpec spec) throws IOException {
        if (ELSEWHERE.contains(spec.name())) {
            return;
        }
        if ((spec.subcommands().isEmpty() || !spec.positionalParameters().isEmpty()) && commands++ % parts == part) {
            runAll(spec);
        }
        for (var sub : new LinkedHashSet<>(spec.subcommands().values())) {
            visit(sub.getCommandSpec());
        }
    }

    private void runAll(CommandSpec spec) throws IOException {
        boolean stores = spec.qualifiedName()
                .matches(".*(stripe|heal|scrub|chaos|drain|archive).*|volsh volume create");
        prepared(stores ? "stores" : "plain", stores);
        var scratch = new Scratch(home);
        if (spec.name().equals("archive")) {
            for (int step = 1; step <= 3; step++) {
                require(scratch, "checkpoint save big --run r1 --step %d --from model.pt --metric loss=0.%d"
                        .formatted(step, step));
            }
        }
        if (spec.name().equals("diff")) {
            require(scratch, "checkpoint save training-data --run r1 --step 2000 --from model.pt");
        }
        if (Manual.of(spec).examples().stream().anyMatch(example -> example.contains("@v"))
                || spec.name().equals("undelete")) {
            require(scratch, "snapshot create training-data@v1");
            require(scratch, "snapshot create training-data@v2");
        }
        if (spec.qualifiedName().contains(" shard ") && !spec.name().equals("pack")) {
            require(scratch, "shard pack dataset shards --samples 2");
            require(scratch, "shard pack dataset training-data:/shards --samples 2 --split train=1");
        }
        if (spec.qualifiedName().matches(".* shard view (show|remove)")) {
            require(scratch, "shard view create training-data:/dataset --as training-data:/.views/train");
        }
        if (spec.name().equals("undelete")) {
            require(scratch, "rm training-data:/dataset/labels.csv");
        }
        if (Manual.of(spec).examples().stream().anyMatch(SERVED)) {
            prepareBucket(scratch);
        }
        if (spec.qualifiedName().contains(" key ")) {
            prepareKeys(scratch, spec.name());
        }
        boolean changes = spec.userObject() instanceof Mutation<?>;
        boolean shown = WATCHING.contains(spec.name())
                && Manual.of(spec).examples().stream().anyMatch(each -> each.contains(" -o json"));
        for (String help : Manual.of(spec).examples()) {
            if (help.contains(" --at -") || help.contains(" --page-cache")) {   // the pages of a mount: elsewhere
                continue;
            }
            String example = help.replace(ENDPOINT, System.getenv("AWS_ENDPOINT_URL_S3"));
            if (changes) {
                json(scratch, spec, example.matches(".* (-n|--dry-run).*") ? example : example + " --dry-run");
            }
            var ended = ended(scratch, example);
            System.out.println("ran: " + example);
            // whether a GPU would wait for this machine
            boolean slow = ended.status() == ExitCode.EXPECTATION.status() && example.contains(" --model ");
            if (ended.status() != 0 && !slow) {
                fail(example, ended);
            }
            if (!changes && !shown) {
                json(scratch, spec, example);
            }
        }
    }

    /** The same line with {@code -o json} prints something that is JSON, unless it asks for another format itself. */
    private void json(Scratch scratch, CommandSpec spec, String example) {
        if (TEXT.contains(spec.name()) || example.contains(" -o ")) {
            return;
        }
        var ended = ended(scratch, example + " -o json");
        System.out.println("as json: " + example);
        if (ended.status() != 0 || !isJson(ended.out())) {
            fail(example + " -o json", ended);
        }
    }

    /**
     * How it ends; {@code status} calls what is well unavailable if it does not answer in time, and on a busy machine
     * it is asked again.
     */
    private static Scratch.Ended ended(Scratch scratch, String example) {
        var ended = scratch.run(example);
        for (int tries = 1; tries < TRIES && example.startsWith("volsh status")
                && ended.status() == ExitCode.UNAVAILABLE.status(); tries++) {
            ended = scratch.run(example);
        }
        return ended;
    }

    private void fail(String example, Scratch.Ended ended) {
        failures++;
        System.out.println("FAILED with " + ended.status() + ": " + example + "\n" + ended.out() + ended.err());
    }

    /** One value, and nothing behind it. */
    static boolean isJson(String text) {
        try (var parser = new JsonFactory().createParser(text)) {
            if (parser.nextToken() == null) {
                return false;
            }
            parser.skipChildren();
            return parser.nextToken() == null;
        } catch (IOException wrong) {
            return false;
        }
    }

    /** The home and the working directory as every example finds them: made once, then copied. */
    private void prepared(String kind, boolean stores) throws IOException {
        Path kept = home.resolveSibling(kind);
        clear(home);
        clear(WORK);
        if (Files.exists(kept)) {
            copy(kept.resolve("home"), home);
            copy(kept.resolve("work"), WORK);
            return;
        }
        var scratch = new Scratch(home);
        prepare(scratch);
        if (stores) {
            prepareStores(scratch);
        }
        Files.createDirectory(kept);
        copy(home, kept.resolve("home"));
        copy(WORK, kept.resolve("work"));
    }

    private static void copy(Path from, Path to) throws IOException {
        try (var all = Files.walk(from)) {
            for (var path : all.toList()) {
                var target = to.resolve(from.relativize(path));
                if (!Files.exists(target)) {
                    Files.copy(path, target, StandardCopyOption.COPY_ATTRIBUTES, LinkOption.NOFOLLOW_LINKS);
                }
            }
        }
    }

    private void prepare(Scratch scratch) throws IOException {
        files();
        require(scratch, "volume create training-data --block-size 64KiB");
        require(scratch, "store add lake file://" + home.resolve("lake"));
        if (Commands.tree(new Services()).spec().subcommands().containsKey("put")) {
            require(scratch, "put -r dataset training-data:/");
            require(scratch, "cache pin training-data:/dataset/a.tar --cache-dir ./cache");
        }
        require(scratch, "volume dump training-data saved.dump");
        require(scratch, "mkdir -p training-data:/users/u1001");
        require(scratch, "quota set training-data:/users/u1001 1TiB");
        require(scratch, "quota set training-data --user 1001 1TiB");
        require(scratch, "checkpoint save training-data --run r1 --step 1000 --from dataset --metric loss=0.5");
        require(scratch, "bench run meta --on . --size 4KiB");
        require(scratch, "bench baseline save nightly");
        require(scratch, "service install training-data /mnt/data --unit-dir ./units");
    }

    /** A volume {@code big} over six stores, and a seventh that is free. */
    private void prepareStores(Scratch scratch) {
        for (int i = 1; i <= 7; i++) {
            require(scratch, "store add s" + i + " file://" + home.resolve("s" + i) + (i > 4 ? " --pool fast" : ""));
        }
        require(scratch, "volume create big --store s1,s2,s3,s4,s5,s6 --stripe-count -1 --stripe-size 64KiB");
        require(scratch, "mkdir big:/ckpt big:/hot big:/archive big:/mix big:/new");
        require(scratch, "put model.pt big:/x");
    }

    /** What examples find in the bucket and in the store {@code archive}; {@code lake} is a part of the bucket. */
    private static void prepareBucket(Scratch scratch) throws IOException {
        Files.createDirectories(WORK.resolve("archive/2026"));
        require(scratch, "sync -q -y --delete served s3://training/");
        require(scratch, "store add archive file://" + WORK.resolve("archive"));
        require(scratch, "put -q notes.txt archive://2026/");
        require(scratch, "store remove lake -y");
        require(scratch, "store add lake s3://training/lake");
    }

    /** An encrypted volume {@code secret}, with the keys that the examples of a command need. */
    private static void prepareKeys(Scratch scratch, String command) {
        require(scratch, "volume create secret --encrypt key-file:secret.key");
        if (command.equals("use")) {
            require(scratch, "key add secret ops key-file:ops.key");
        }
        if (!command.equals("add")) {
            require(scratch, "key add secret me passphrase");
        }
    }

    private static void files() throws IOException {
        var random = new Random(1);
        var sizes = Map.of("dataset/images/cat.jpg", 3_000, "dataset/images/dog.jpg", 90_000, "dataset/labels.csv", 500,
                "dataset/a.tar", 300_000, "model.pt", 200_000, "notes.txt", 100);
        for (var file : sizes.entrySet()) {
            var bytes = new byte[file.getValue()];
            random.nextBytes(bytes);
            Files.createDirectories(WORK.resolve(file.getKey()).getParent());
            Files.write(WORK.resolve(file.getKey()), bytes);
        }
        for (var file : List.of("labels.csv", "a.tar", "shards/a.tar", "data/x/y", "incoming/a.tar", "tmp/x",
                "lake/a")) {
            Files.createDirectories(WORK.resolve("served").resolve(file).getParent());
            Files.write(WORK.resolve("served").resolve(file), new byte[file.equals("labels.csv") ? 1_200_000 : 50]);
        }
        Files.createDirectories(WORK.resolve("run-7"));
        Files.writeString(WORK.resolve("run-7/log"), "done\n");
        for (var key : List.of("secret.key", "ops.key", "new.key")) {
            var file = Files.createFile(WORK.resolve(key), PosixFilePermissions.asFileAttribute(
                    PosixFilePermissions.fromString("rw-------")));
            Files.writeString(file, key.repeat(10));
        }
        Files.createDirectories(WORK.resolve("cache"));
        Files.createDirectories(WORK.resolve("jlink"));
        Files.writeString(WORK.resolve("jlink/training.txt"), "version\n");
    }

    private static void require(Scratch scratch, String line) {
        var ended = scratch.run(line);
        if (ended.status() != 0) {
            throw new IllegalStateException(line + "\n" + ended.err());
        }
    }

    private static void clear(Path directory) throws IOException {
        if (Files.exists(directory)) {
            try (var all = Files.walk(directory)) {
                for (var path : all.sorted(Comparator.reverseOrder()).toList()) {
                    if (!path.equals(WORK)) {
                        Files.delete(path);
                    }
                }
            }
        }
    }
}
