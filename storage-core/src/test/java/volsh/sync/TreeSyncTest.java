package volsh.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.catalog.Access;
import volsh.catalog.Home;
import volsh.catalog.VolumeDraft;
import volsh.fs.Owner;
import volsh.s3test.S3Server;
import volsh.transfer.Observer;
import volsh.tree.CopySettings;
import volsh.tree.FileTree;
import volsh.tree.NewEntry;
import volsh.tree.OpenTrees;
import volsh.tree.Places;
import volsh.tree.TreeEntry;
import volsh.tree.UploadRecords;
import volsh.volume.Volume;
import volsh.volume.Volumes;

/** Every kind of place is made the same as every other kind, and stays so when nothing changes. */
@Tag("volume")
@Tag("data")
final class TreeSyncTest {
    private static final int ROUNDS = Boolean.getBoolean("volsh.long") ? 60 : 4;

    @TempDir
    private Path directory;

    private final long seed = Long.getLong("volsh.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private Volume volume;
    private OpenTrees trees;
    private Places places;
    private String bucket;

    @BeforeEach
    void open() throws IOException {
        var home = new Home(directory.resolve("config"), directory.resolve("state"), directory.resolve("cache"),
                directory.resolve("run"));
        var volumes = new Volumes(home, InstantSource.system(), Owner.ROOT);
        volumes.create(VolumeDraft.named("vol"));
        volume = volumes.open("vol", Access.WRITE, "test");
        trees = new OpenTrees(path -> volume, Owner.ROOT, new UploadRecords(directory.resolve("uploads")));
        var server = S3Server.shared();
        bucket = server.newBucket();
        places = new Places(name -> Optional.empty(),
                new TreeMap<>(Map.of("endpoint", server.endpoint(), "anonymous", "true")));
    }

    @AfterEach
    void close() throws IOException {
        trees.close();
        volume.close();
    }

    private FileTree tree(String word) throws IOException {
        return trees.of(places.of(word));
    }

    private List<String> kinds(String name) {
        return List.of(directory.resolve(name).toString(), "vol:/" + name, "s3://" + bucket + "/" + name);
    }

    private static SyncSettings settings(boolean delete) {
        return new SyncSettings(CopySettings.of(4), delete, false, SyncSettings.ALL);
    }

    private static SyncSummary sync(FileTree from, FileTree to, boolean delete) throws IOException {
        var failures = new ConcurrentLinkedQueue<String>();
        var summary = new TreeSync(from, to, settings(delete), new Observer() {
            @Override
            public void failed(String path, IOException reason) {
                failures.add(path + ": " + reason);
            }
        }).run();
        assertThat(failures).isEmpty();
        return summary;
    }

    private static void write(FileTree tree, String path, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        try (var writer = tree.create(NewEntry.of(path, bytes.length))) {
            if (bytes.length > 0) {
                writer.write(0, ByteBuffer.wrap(bytes));
            }
            writer.commit();
        }
    }

    /** Every file with its bytes. */
    private static Map<String, String> contents(FileTree tree) throws IOException {
        var all = new TreeMap<String, String>();
        if (tree.find("").isEmpty()) {
            return all;
        }
        var cursor = tree.below("");
        for (var entry = cursor.next(); entry != null; entry = cursor.next()) {
            if (entry.isRegular()) {
                all.put(entry.path(), text(tree, entry));
            }
        }
        return all;
    }

    private static String text(FileTree tree, TreeEntry entry) throws IOException {
        var bytes = new ByteArrayOutputStream();
        try (var reader = tree.open(entry)) {
            reader.read(0, reader.size(), piece -> {
                byte[] some = new byte[piece.remaining()];
                piece.get(some);
                bytes.writeBytes(some);
            });
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }

    /** Random changes on either side; afterwards both are the same, and the next sync does nothing. */
    @Test
    void everyKindFollowsEveryOther() throws Exception {
        for (String from : kinds("from")) {
            for (String to : kinds("to")) {
                var source = tree(from);
                var target = tree(to);
                for (int round = 0; round < ROUNDS; round++) {
                    change(source, round);
                    if (round % 2 == 1) {
                        change(target, 100 + round);
                    }
                    String what = "%s to %s, round %d, seed %d".formatted(from, to, round, seed);
                    sync(source, target, true);
                    assertThat(contents(target)).as(what).isEqualTo(contents(source));
                    var again = sync(source, target, true);
                    assertThat(again.copied().files()).as(what).isZero();
                    assertThat(again.removed()).as(what).isZero();
                    assertThat(again.unchanged()).as(what).isEqualTo(contents(source).size());
                }
            }
        }
    }

    /** Sizes differ with every change: a file that is overwritten with as many bytes at that moment looks the same. */
    private void change(FileTree tree, int round) throws IOException {
        for (int i = 0; i < 6; i++) {
            String path = List.of("a", "b/c", "b/d", "b-e/f", "b.txt", "g/h/i", "g/h/j", "z").get(random.nextInt(8));
            var there = tree.find(path);
            if (there.isPresent() && random.nextInt(3) == 0) {
                tree.remove(List.of(there.get()));
            } else {
                write(tree, path, "x".repeat(1 + 40 * round + 7 * i + random.nextInt(6)));
            }
        }
    }

    @Test
    void withoutDeletionNothingIsRemoved() throws Exception {
        var source = tree(kinds("from").getFirst());
        var target = tree(kinds("to").get(1));
        write(source, "a", "1");
        write(target, "b", "2");
        write(target, "d/e", "3");
        var summary = sync(source, target, false);
        assertThat(summary.extra()).isEqualTo(2);
        assertThat(summary.removed()).isZero();
        assertThat(contents(target)).containsOnlyKeys("a", "b", "d/e");
        assertThat(sync(source, target, true).removed()).isEqualTo(3);
        assertThat(contents(target)).containsOnlyKeys("a");
    }

    /** A file becomes a directory, and the other way round. */
    @Test
    void kindsMayChange() throws Exception {
        var source = tree(kinds("from").getFirst());
        for (String to : kinds("to").subList(0, 2)) {
            var target = tree(to);
            write(source, "x", "file");
            write(source, "y/z/deep", "file");
            sync(source, target, true);
            remove(source);
            write(source, "x/now", "inside");
            write(source, "y", "file now");
            sync(source, target, true);
            assertThat(contents(target)).as(to).isEqualTo(contents(source)).containsOnlyKeys("x/now", "y");
            remove(source);
        }
    }

    private static void remove(FileTree tree) throws IOException {
        var all = new ArrayList<TreeEntry>();
        var cursor = tree.below("");
        for (var entry = cursor.next(); entry != null; entry = cursor.next()) {
            all.addFirst(entry);
        }
        tree.remove(all);
    }

    @Test
    void whatTakesNoPartIsNeitherCopiedNorRemoved() throws Exception {
        var source = tree(kinds("from").getFirst());
        var target = tree(kinds("to").get(2));
        write(source, "keep.txt", "1");
        write(source, "skip.tmp", "1");
        write(target, "old.tmp", "1");
        write(target, "old.txt", "1");
        new TreeSync(source, target, new SyncSettings(CopySettings.of(2), true, false,
                path -> !path.endsWith(".tmp")), Observer.NONE).run();
        assertThat(contents(target)).containsOnlyKeys("keep.txt", "old.tmp");
    }

    @Test
    void checksumsFindWhatSizesAndTimesHide() throws Exception {
        var local = Files.createDirectory(directory.resolve("from"));
        var file = Files.writeString(local.resolve("f"), "before");
        var time = FileTime.from(Instant.parse("2020-01-02T03:04:05Z"));
        Files.setLastModifiedTime(file, time);
        for (String to : kinds("to")) {
            var source = tree(local.toString());
            var target = tree(to);
            Files.writeString(file, "before");
            Files.setLastModifiedTime(file, time);
            sync(source, target, false);
            Files.writeString(file, "after!");
            Files.setLastModifiedTime(file, time);
            assertThat(sync(source, target, false).unchanged()).as("negative control: " + to).isEqualTo(1);
            var copies = new CopySettings(4, NewEntry.PART, Optional.empty(), true, false);
            var settings = new SyncSettings(copies, false, false, SyncSettings.ALL);
            assertThat(new TreeSync(source, target, settings, Observer.NONE).run().copied().files()).as(to)
                    .isEqualTo(1);
            assertThat(contents(target)).as(to).containsEntry("f", "after!");
            assertThat(new TreeSync(source, target, settings, Observer.NONE).run().unchanged()).isEqualTo(1);
        }
    }

    @Test
    void newerFilesOfTheTargetStayIfAskedFor() throws Exception {
        var source = tree(kinds("from").getFirst());
        var target = tree(kinds("to").getFirst());
        write(source, "f", "old");
        Files.setLastModifiedTime(directory.resolve("from/f"), FileTime.from(Instant.parse("2020-01-02T03:04:05Z")));
        write(target, "f", "mine is newer");
        new TreeSync(source, target, new SyncSettings(CopySettings.of(2), false, true, SyncSettings.ALL),
                Observer.NONE).run();
        assertThat(contents(target)).containsEntry("f", "mine is newer");
    }

    /** As Ctrl-C does at any moment; every time more is there, all of it whole, and at last the trees are the same. */
    @Test
    void aStoppedSyncGoesOn() throws Exception {
        var source = tree(kinds("from").getFirst());
        for (int i = 0; i < 40; i++) {
            write(source, "d" + i % 5 + "/f" + i, "x".repeat(i * 100));
        }
        for (String to : kinds("to")) {
            var target = tree(to);
            int stopped = 0;
            for (int allowed = 3; ; allowed += 9) {
                var left = new AtomicInteger(allowed);
                var stop = new Observer() {
                    @Override
                    public void done(long files, long bytes) {
                        left.addAndGet((int) -files);
                    }

                    @Override
                    public boolean cancelled() {
                        return left.get() <= 0;
                    }
                };
                try {
                    new TreeSync(source, target, settings(true), stop).run();
                    break;
                } catch (InterruptedIOException cancelled) {
                    stopped++;
                }
                assertThat(contents(source)).as(to).containsAllEntriesOf(contents(target));
            }
            assertThat(stopped).isPositive();
            assertThat(contents(target)).as(to).isEqualTo(contents(source));
        }
    }

    @Test
    void aPlanChangesNothing() throws Exception {
        var source = tree(kinds("from").getFirst());
        var target = tree(kinds("to").get(2));
        write(source, "a", "1");
        write(source, "b", "1");
        write(target, "b", "22");
        write(target, "c", "1");
        var steps = new ArrayList<String>();
        new TreeSync(source, target, settings(true), Observer.NONE).plan(step -> steps.add(switch (step) {
            case TreeSync.Step.Copy(var file, var over) -> (over ? "replace " : "copy ") + file.path();
            case TreeSync.Step.Remove(var entry) -> "remove " + entry.path();
        }));
        assertThat(steps).containsExactly("copy a", "replace b", "remove c");
        assertThat(contents(target)).containsOnlyKeys("b", "c");
    }

    /** More than are removed with one call. */
    @Test
    void manyAreRemoved() throws Exception {
        var source = tree(kinds("from").getFirst());
        var target = tree(kinds("to").getFirst());
        write(source, "kept", "1");
        for (int i = 0; i < 520; i++) {
            write(target, "f" + i, "");
        }
        assertThat(sync(source, target, true).removed()).isEqualTo(520);
        assertThat(contents(target)).containsOnlyKeys("kept");
    }

    @Test
    void aSourceThatCannotBeListedRemovesNothing() throws Exception {
        var target = tree(kinds("to").getFirst());
        write(target, "a", "1");
        var gone = tree("s3://no-such-bucket-at-all/x");
        assertThatThrownBy(() -> new TreeSync(gone, target, settings(true), Observer.NONE).run())
                .isInstanceOf(IOException.class);
        assertThat(contents(target)).containsOnlyKeys("a");
    }

    private record Synced(SyncSummary summary, List<String> failures) {}

    private static Synced trying(FileTree from, FileTree to, boolean delete) throws IOException {
        var failures = new ConcurrentLinkedQueue<String>();
        var summary = new TreeSync(from, to, settings(delete), new Observer() {
            @Override
            public void failed(String path, IOException reason) {
                failures.add(path + ": " + reason);
            }
        }).run();
        return new Synced(summary, List.copyOf(failures));
    }

    /** Links, hard links, holes, modes and empty directories, to every kind of place and back. */
    @Test
    void whatPlacesCannotHold() throws Exception {
        var from = Files.createDirectories(directory.resolve("from/empty"));
        var top = Objects.requireNonNull(from.getParent());
        var first = Files.writeString(top.resolve("first"), "shared");
        Files.createLink(top.resolve("second"), first);
        Files.createSymbolicLink(top.resolve("link"), Path.of("first"));
        Files.setPosixFilePermissions(first, PosixFilePermissions.fromString("rwx--x---"));
        try (var file = FileChannel.open(top.resolve("sparse"), StandardOpenOption.CREATE_NEW,
                StandardOpenOption.WRITE)) {
            file.write(ByteBuffer.wrap(new byte[] {1}), 3 << 20);
        }
        for (String to : kinds("to")) {
            var bucketIsTarget = to.startsWith("s3");
            var there = trying(tree(top.toString()), tree(to), true);
            assertThat(there.failures()).as(to).hasSize(bucketIsTarget ? 1 : 0)
                    .allMatch(failure -> failure.contains("/link: ") && failure.contains("cannot hold links"));
            var back = directory.resolve("back-" + to.replaceAll("[^a-z0-9]", ""));
            assertThat(trying(tree(to), tree(back.toString()), true).failures()).isEmpty();
            assertThat(back.resolve("second")).hasContent("shared");
            assertThat(Files.size(back.resolve("sparse"))).isEqualTo((3 << 20) + 1);
            assertThat(back.resolve("sparse")).hasSameBinaryContentAs(top.resolve("sparse"));
            assertThat(Files.isSymbolicLink(back.resolve("link"))).isEqualTo(!bucketIsTarget);
            assertThat(Files.exists(back.resolve("empty"))).isEqualTo(!bucketIsTarget);
            if (!bucketIsTarget) {
                assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(back.resolve("first"))))
                        .isEqualTo("rwx--x---");
            }
            var again = trying(tree(top.toString()), tree(to), true);
            assertThat(again.summary().copied().files()).as(to).isZero();
            assertThat(again.summary().removed()).as(to).isZero();
        }
    }
}
