package volsh.sync;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.catalog.Access;
import volsh.catalog.Home;
import volsh.catalog.VolumeDraft;
import volsh.fs.Owner;
import volsh.meta.ChildJvm;
import volsh.object.ObjectUpload;
import volsh.s3test.S3Server;
import volsh.transfer.Observer;
import volsh.tree.CopySettings;
import volsh.tree.FileTree;
import volsh.tree.OpenTrees;
import volsh.tree.Place;
import volsh.tree.Places;
import volsh.tree.UploadRecords;
import volsh.volume.Volume;
import volsh.volume.Volumes;

/**
 * A sync that is killed (SIGKILL) again and again, to every kind of place: repeated, it ends with equal trees, and
 * leaves no unfinished upload and no temporary file.
 */
@Tag("volume")
@Tag("crash")
final class SyncKillTest {
    private static final int KILLS_OF_EACH = Boolean.getBoolean("volsh.long") ? 20 : 2;
    private static final int SMALL = 30;

    @TempDir
    private Path directory;

    private final long seed = Long.getLong("volsh.seed", System.nanoTime());
    private final Random random = new Random(seed);

    /** The trees of one process. */
    private static final class Process implements AutoCloseable {
        private final Places places;
        private final OpenTrees trees;
        private final List<Volume> open = new ArrayList<>();

        Process(Path directory, String endpoint) {
            var volumes = new Volumes(home(directory), InstantSource.system(), Owner.ROOT);
            places = new Places(name -> Optional.empty(),
                    new TreeMap<>(Map.of("endpoint", endpoint, "anonymous", "true")));
            trees = new OpenTrees(path -> {
                open.add(volumes.open(path.volume(), Access.WRITE, "test"));
                return open.getLast();
            }, Owner.ROOT, new UploadRecords(directory.resolve("uploads")));
        }

        FileTree tree(String word) throws IOException {
            return trees.of(places.of(word));
        }

        SyncSummary sync(String from, String to, Observer observer) throws IOException {
            var copies = new CopySettings(2, ObjectUpload.PART_BYTES_MIN, Optional.empty(), false, false);
            return new TreeSync(tree(from), tree(to), new SyncSettings(copies, true, false, SyncSettings.ALL),
                    observer).run();
        }

        @Override
        public void close() throws IOException {
            trees.close();
            for (var volume : open) {
                volume.close();
            }
        }
    }

    private static Home home(Path directory) {
        return new Home(directory.resolve("config"), directory.resolve("state"), directory.resolve("cache"),
                directory.resolve("run"));
    }

    /** Prints a line for all it has done, and is killed at one of them. */
    static final class Victim {
        private Victim() {}

        public static void main(String[] arguments) throws Exception {
            try (var process = new Process(Path.of(arguments[0]), arguments[1])) {
                process.sync(arguments[2], arguments[3], new Observer() {
                    @Override
                    public void done(long files, long bytes) {
                        System.out.println(files);
                    }
                });
            }
        }
    }

    @Test
    void aKilledSyncGoesOn() throws Exception {
        var server = S3Server.shared();
        String bucket = server.newBucket();
        new Volumes(home(directory), InstantSource.system(), Owner.ROOT).create(VolumeDraft.named("vol"));
        String from = directory.resolve("from").toString();
        int killed = 0;
        for (String to : List.of(directory.resolve("to").toString(), "vol:/to", "s3://" + bucket + "/to")) {
            for (int kill = 0; kill < KILLS_OF_EACH; kill++) {
                change(kill);
                try (var child = ChildJvm.start(directory, Victim.class, directory, server.endpoint(), from, to)) {
                    int lines = random.nextInt(50);
                    while (lines-- > 0 && child.line() != null) {
                        // not yet
                    }
                    killed += child.isAlive() ? 1 : 0;
                }
            }
            try (var process = new Process(directory, server.endpoint())) {
                String what = "%s, seed %d".formatted(to, seed);
                assertThat(process.sync(from, to, Observer.NONE).copied().failed()).as(what).isZero();
                assertThat(TreeContents.of(process.tree(to))).as(what)
                        .isEqualTo(TreeContents.of(process.tree(from)));
                assertThat(process.trees.bucket((Place.InBucket) process.places.of("s3://" + bucket))
                        .unfinished("")).as(what).isEmpty();
            }
        }
        assertThat(killed).as("kills, seed %d", seed).isPositive();
        try (var files = Files.walk(directory.resolve("to"))) {
            assertThat(files.filter(file -> file.getFileName().toString().startsWith(".volsh"))).isEmpty();
        }
        try (var records = Files.list(directory.resolve("uploads"))) {
            assertThat(records).as("records of uploads").isEmpty();
        }
    }

    /** Two files in parts, of which one changes, and many in one piece, of which some change and some go. */
    private void change(int round) throws IOException {
        if (round == 0) {
            write("big/same", 3 * ObjectUpload.PART_BYTES_MIN + 17);
        }
        write("big/other", 3 * ObjectUpload.PART_BYTES_MIN + 1 + round);
        for (int i = 0; i < SMALL; i++) {
            switch (random.nextInt(4)) {
                case 0 -> Files.deleteIfExists(directory.resolve("from/d%d/f%d".formatted(i % 3, i)));
                case 1 -> { }
                default -> write("d%d/f%d".formatted(i % 3, i), 1000 * i + round);
            }
        }
    }

    private void write(String name, int size) throws IOException {
        byte[] bytes = new byte[size];
        random.nextBytes(bytes);
        var file = directory.resolve("from").resolve(name);
        Files.createDirectories(file.getParent());
        Files.write(file, bytes);
    }
}
