package volsh.tree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.catalog.Access;
import volsh.catalog.Home;
import volsh.catalog.VolumeDraft;
import volsh.fs.Owner;
import volsh.object.MemoryObjects;
import volsh.object.ObjectUpload;
import volsh.s3test.S3Server;
import volsh.sync.SyncSettings;
import volsh.sync.TreeSync;
import volsh.transfer.Observer;
import volsh.volume.Volume;
import volsh.volume.Volumes;

/** Local files, volumes and buckets are the same kind of tree. */
@Tag("volume")
final class FileTreeTest {
    @TempDir
    private Path directory;

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

    private List<FileTree> all() throws IOException {
        var local = directory.resolve("local");
        return List.of(tree(local.toString()), tree("vol:/top"), tree("s3://" + bucket + "/top"),
                tree("s3://" + bucket + "/other/"));
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

    static String read(FileTree tree, TreeEntry entry) throws IOException {
        var bytes = new ByteArrayOutputStream();
        try (var reader = tree.open(entry)) {
            reader.read(0, reader.size(), piece -> {
                byte[] some = new byte[piece.remaining()];
                piece.get(some);
                bytes.writeBytes(some);
            });
            reader.requireUnchanged();
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }

    private static List<TreeEntry> list(TreeCursor cursor) throws IOException {
        var found = new ArrayList<TreeEntry>();
        for (var entry = cursor.next(); entry != null; entry = cursor.next()) {
            found.add(entry);
        }
        return found;
    }

    private static List<String> paths(TreeCursor cursor) throws IOException {
        return list(cursor).stream().map(TreeEntry::sortKey).toList();
    }

    @Test
    void allListInOneOrder() throws IOException {
        var files = List.of("a!", "a/b", "a/c/d", "a-b/x", "a.txt", "a0", "ab/c", "b", "\u00e4", "z z");
        for (var tree : all()) {
            for (String file : files) {
                write(tree, file, file);
            }
            var listed = list(tree.below(""));
            assertThat(listed).as(tree.name("")).isSortedAccordingTo(TreeEntry::compare);
            assertThat(listed.stream().filter(TreeEntry::isRegular).map(TreeEntry::path)).as(tree.name(""))
                    .containsExactly("a!", "a-b/x", "a.txt", "a/b", "a/c/d", "a0", "ab/c", "b", "z z", "\u00e4");
            assertThat(paths(tree.children(""))).as(tree.name("")).containsExactly("a!", "a-b/", "a.txt", "a/", "a0",
                    "ab/", "b", "z z", "\u00e4");
            assertThat(paths(tree.children("a"))).containsExactly("a/b", "a/c/");
            assertThat(paths(tree.below("a"))).contains("a/b", "a/c/d").doesNotContain("a0");
            for (var entry : listed) {
                assertThat(entry.isDirectory() ? entry.path() : read(tree, entry)).isEqualTo(entry.path());
            }
        }
    }

    @Test
    void directoriesOfManyNamesAreListedInOrder() throws IOException {
        var tree = tree("vol:/many");
        for (int i = 0; i < 300; i++) {
            tree.makeDirectory("d%03d".formatted(i));
            write(tree, "d%03d!".formatted(i), "");
        }
        var listed = list(tree.below(""));
        assertThat(listed).hasSize(600).isSortedAccordingTo(TreeEntry::compare);
        assertThat(listed.get(0).path()).isEqualTo("d000!");
        assertThat(listed.get(1).path()).isEqualTo("d000");
    }

    @Test
    void aFileAppearsWhenItIsCommitted() throws IOException {
        for (var tree : all()) {
            write(tree, "d/x", "old");
            try (var writer = tree.create(NewEntry.of("d/x", 3))) {
                if (writer.part() == 0) {
                    writer.write(0, ByteBuffer.wrap(new byte[] {1, 2}));
                }
            }
            assertThat(read(tree, tree.find("d/x").get())).as(tree.name("")).isEqualTo("old");
            write(tree, "d/x", "newer");
            assertThat(read(tree, tree.find("d/x").get())).isEqualTo("newer");
            assertThat(paths(tree.children("d"))).containsExactly("d/x");
            assertThat(tree.find("d").get().isDirectory()).isTrue();
            assertThat(tree.find("none")).isEmpty();
        }
    }

    @Test
    void largeFilesAreWrittenInPartsOfAnyOrder() throws IOException {
        int part = ObjectUpload.PART_BYTES_MIN;
        byte[] bytes = new byte[2 * part + 17];
        new java.util.Random(1).nextBytes(bytes);
        for (var tree : all()) {
            try (var writer = tree.create(NewEntry.of("big", bytes.length).withPart(part))) {
                for (int at : List.of(2 * part, 0, part)) {
                    writer.write(at, ByteBuffer.wrap(bytes, at, Math.min(part, bytes.length - at)));
                }
                writer.commit();
            }
            var read = ByteBuffer.allocate(bytes.length);
            try (var reader = tree.open(tree.find("big").get())) {
                reader.read(7, bytes.length - 7, read::put);
            }
            assertThat(read.flip()).as(tree.name("")).isEqualTo(ByteBuffer.wrap(bytes, 7, bytes.length - 7));
        }
    }

    @Test
    void aChangeIsSeen() throws IOException {
        for (var tree : all()) {
            write(tree, "x", "one");
            try (var reader = tree.open(tree.find("x").get())) {
                write(tree, "x", "two!");
                assertThatThrownBy(() -> {
                    reader.read(0, 3, piece -> { });
                    reader.requireUnchanged();
                    if (tree.keepsAttributes()) {   // it holds the file it has opened
                        throw new EntryChangedException("x");
                    }
                }).as(tree.name("")).isInstanceOf(EntryChangedException.class);
            }
        }
    }

    @Test
    void whatIsRemovedIsGone() throws IOException {
        for (var tree : all()) {
            write(tree, "d/x", "1");
            write(tree, "d/y", "2");
            tree.remove(list(tree.below("d")));
            assertThat(list(tree.below("")).stream().filter(TreeEntry::isRegular)).as(tree.name("")).isEmpty();
        }
    }

    @Test
    void keysThatAreNoPathsAreRefusedByDirectories() throws IOException {
        for (String key : List.of("a//b", "../x", "./y", "x/", "n".repeat(256))) {
            assertThatThrownBy(() -> write(tree("vol:/t"), key, "")).as(key).isInstanceOf(FileSystemException.class);
            assertThatThrownBy(() -> write(tree(directory.resolve("l").toString()), key, "")).as(key)
                    .isInstanceOf(FileSystemException.class).hasMessageContaining(key);
        }
        assertThatThrownBy(() -> write(tree("s3://" + bucket + "/p"), "k".repeat(1025), ""))
                .hasMessageContaining("at most 1024 bytes");
    }

    @Test
    void wordsArePlacesByTheirForm() throws IOException {
        assertThat(places.of("s3://b-1/a b%20?x")).isInstanceOfSatisfying(Place.InBucket.class,
                found -> assertThat(found.key()).isEqualTo("a b%20?x"));
        assertThat(places.of("file:///tmp/x")).isEqualTo(places.of("/tmp/x"));
        assertThat(places.of("vol:/x")).isInstanceOf(Place.InVolume.class);
        assertThat(places.of("./vol:/x")).isInstanceOf(Place.Local.class);
        assertThat(places.of("./s3://b/x")).isInstanceOf(Place.Local.class);
        assertThatThrownBy(() -> places.of("lake://x")).hasMessage("no such store: 'lake'");
        for (String wrong : List.of("s3:///x", "s3://b?x=y/z", "mem://x", "file://x")) {
            assertThatThrownBy(() -> places.of(wrong)).as(wrong).isInstanceOf(IllegalArgumentException.class);
        }
    }

    /** A directory cannot hold both keys; which one it holds does not change from sync to sync. */
    @Test
    void aKeyThatIsAlsoADirectory() throws Exception {
        var place = (Place.InBucket) places.of("s3://" + bucket + "/top");
        var source = new BucketTree(new MemoryObjects(), place, new UploadRecords(directory.resolve("uploads")));
        write(source, "a", "the object");
        write(source, "a/b", "below it");
        write(source, "c", "another");
        for (var target : List.of(tree(directory.resolve("to").toString()), tree("vol:/to"))) {
            assertThat(failures(source, target)).as(target.name("")).hasSize(1);
            var held = names(target);
            assertThat(held).as(target.name("")).hasSize(2).contains("c");
            assertThat(failures(source, target)).as(target.name("")).hasSize(1);
            assertThat(names(target)).as(target.name("")).isEqualTo(held);
        }
        var other = (Place.InBucket) places.of("s3://" + bucket + "-other/top");
        var bucketful = new BucketTree(new MemoryObjects(), other, new UploadRecords(directory.resolve("uploads")));
        assertThat(failures(source, bucketful)).isEmpty();
        assertThat(names(bucketful)).containsExactly("a", "a/b", "c");
    }

    private static List<String> failures(FileTree from, FileTree to) throws IOException {
        var failures = new ConcurrentLinkedQueue<String>();
        new TreeSync(from, to, new SyncSettings(CopySettings.of(2), true, false, SyncSettings.ALL), new Observer() {
            @Override
            public void failed(String path, IOException reason) {
                failures.add(path + ": " + reason);
            }
        }).run();
        return List.copyOf(failures);
    }

    private static List<String> names(FileTree tree) throws IOException {
        var names = new ArrayList<String>();
        var cursor = tree.below("");
        for (var entry = cursor.next(); entry != null; entry = cursor.next()) {
            if (entry.isRegular()) {
                names.add(entry.path());
            }
        }
        return names;
    }
}
