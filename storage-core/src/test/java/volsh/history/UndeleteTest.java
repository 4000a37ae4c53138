package volsh.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import volsh.block.memory.MemoryBlockStore;
import volsh.chunk.BlockIo;
import volsh.chunk.ChunkSettings;
import volsh.chunk.Chunks;
import volsh.codec.Compression;
import volsh.engine.MetaEngine;
import volsh.engine.memory.MemoryMetaEngine;
import volsh.engine.postgres.PostgresMetaEngine;
import volsh.engine.postgres.PostgresUrl;
import volsh.engine.sqlite.SqliteMetaEngine;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.fs.RenameMode;
import volsh.meta.MetadataAudit;
import volsh.meta.Namespace;
import volsh.meta.Reclaim;
import volsh.postgrestest.PostgresServer;
import volsh.vfs.ManualClock;
import volsh.vfs.Paths;
import volsh.vfs.TestVolume;
import volsh.vfs.Vfs;
import volsh.vfs.VfsPosix;

/**
 * What was deleted or replaced comes back as it was just before, however little time it was there for; on every engine.
 */
final class UndeleteTest {
    private static final ChunkSettings SETTINGS = new ChunkSettings(4096, 100, 1 << 20);
    /** More than fits inline: it lies in blocks. */
    private static final String LONG = "x".repeat(10_000);

    @TempDir
    private Path directory;

    private interface Story {
        void tell(Run run) throws IOException;
    }

    @TestFactory
    Stream<DynamicTest> stories() {
        var stories = new HashMap<String, Story>();
        stories.put("the last write counts", UndeleteTest::theLastWriteCounts);
        stories.put("made and deleted within a second", UndeleteTest::madeAndDeleted);
        stories.put("several of a name within a second", UndeleteTest::severalOfAName);
        stories.put("replaced", UndeleteTest::replaced);
        stories.put("moved away", UndeleteTest::movedAway);
        stories.put("a tree", UndeleteTest::aTree);
        stories.put("a tree that was there for less than a second", UndeleteTest::aShortTree);
        stories.put("a tree whose removal took seconds", UndeleteTest::aSlowRemoval);
        stories.put("a tree written to while it is removed", UndeleteTest::writtenWhileRemoved);
        stories.put("a tree with a file of many versions", UndeleteTest::manyVersions);
        stories.put("a tree with temporary files", UndeleteTest::temporaryFiles);
        stories.put("a tree from which something was removed before", UndeleteTest::removedBefore);
        stories.put("a tree that was moved away", UndeleteTest::aMovedTree);
        stories.put("a name of two", UndeleteTest::aNameOfTwo);
        stories.put("while a descriptor is open", UndeleteTest::whileOpen);
        stories.put("given back at once", UndeleteTest::givenBackAtOnce);
        stories.put("without retention", UndeleteTest::withoutRetention);
        stories.put("purged with its second", UndeleteTest::purged);
        stories.put("at random", UndeleteTest::atRandom);
        return stories.entrySet().stream().flatMap(story -> Stream.of("memory", "sqlite", "postgres")
                .map(engine -> DynamicTest.dynamicTest(story.getKey() + ", " + engine,
                        () -> tell(engine, story.getValue()))));
    }

    private void tell(String engine, Story story) throws Exception {
        try (var made = switch (engine) {
            case "sqlite" -> SqliteMetaEngine.create(directory.resolve(UUID.randomUUID() + ".db"));
            case "postgres" -> PostgresMetaEngine.create(PostgresUrl.of(PostgresServer.shared().url())
                    .withVolume(PostgresServer.freshName()), UUID.randomUUID());
            default -> new MemoryMetaEngine();
        }) {
            var run = new Run(made);
            run.volume.ticks().retain(-1);
            run.tick();
            story.tell(run);
            run.forget();
            run.volume.close();
        }
    }

    private static void theLastWriteCounts(Run run) throws IOException {
        for (String last : List.of("two", LONG)) {
            run.write("/f", "one");
            run.tick();
            run.write("/f", last);
            run.fs.unlink("/f");
            run.settle();
            run.undelete("/f", OptionalLong.empty());
            assertThat(run.read("/f")).isEqualTo(last);
            run.tick();
            run.fs.unlink("/f");
            run.tick();
        }
        run.write("/f", "a second before");
        run.tick();
        run.fs.unlink("/f");
        run.settle();
        run.undelete("/f", OptionalLong.empty());
        assertThat(run.read("/f")).isEqualTo("a second before");
    }

    private static void madeAndDeleted(Run run) throws IOException {
        run.write("/f", LONG);
        run.fs.setxattr("/f", "user.x", new byte[] {1, 2});
        run.fs.chmod("/f", 0640);
        run.fs.symlink("to", "/link");
        run.fs.unlink("/f");
        run.fs.unlink("/link");
        assertThat(run.versions("/f")).hasSize(1).allMatch(Versions.Version::isBrief);
        run.settle();
        run.undelete("/f", OptionalLong.empty());
        run.undelete("/link", OptionalLong.empty());
        assertThat(run.read("/f")).isEqualTo(LONG);
        assertThat(run.fs.getxattr("/f", "user.x")).containsExactly(1, 2);
        assertThat(run.paths().resolve("/f").mode()).isEqualTo(0640);
        assertThat(run.volume.names().readSymlink(run.paths().resolve("/link", false).ino()))
                .asString(StandardCharsets.UTF_8).isEqualTo("to");
    }

    private static void severalOfAName(Run run) throws IOException {
        run.write("/f", "old");
        run.tick();
        var states = new HashMap<Long, String>();
        for (int i = 0; i < 5; i++) {
            run.write("/f", "state " + i);
            states.put(run.paths().resolve("/f").ino(), "state " + i);
            run.fs.unlink("/f");
        }
        run.settle();
        assertThat(run.versions("/f").stream().filter(Versions.Version::isBrief)
                .map(version -> version.attributes().ino())).containsExactlyInAnyOrderElementsOf(states.keySet());
        for (var state : states.entrySet()) {
            run.undelete("/f", OptionalLong.of(state.getKey()));
            assertThat(run.read("/f")).isEqualTo(state.getValue());
            run.tick();
            run.fs.unlink("/f");
        }
        long first = states.keySet().stream().mapToLong(Long::longValue).min().orElseThrow();
        assertThat(states).containsEntry(first, "state 0");
    }

    private static void replaced(Run run) throws IOException {
        run.write("/f", "one");
        run.tick();
        run.write("/f", LONG);
        long first = run.paths().resolve("/f").ino();
        run.write("/g", "by rename");
        run.fs.rename("/g", "/f", RenameMode.REPLACE);
        long second = run.paths().resolve("/f").ino();
        var unnamed = run.volume.names().makeUnnamed(Vfs.ROOT, 0644, Owner.ROOT);
        run.volume.names().place(unnamed.ino(), Vfs.ROOT, Name.of("f"));
        run.settle();
        run.undelete("/f", OptionalLong.of(first), "/first");
        run.undelete("/f", OptionalLong.of(second), "/second");
        assertThat(run.read("/first")).isEqualTo(LONG);
        assertThat(run.read("/second")).isEqualTo("by rename");
        assertThat(run.read("/f")).isEmpty();
    }

    private static void movedAway(Run run) throws IOException {
        run.write("/f", "one");
        run.tick();
        run.write("/f", "two");
        run.fs.rename("/f", "/g", RenameMode.REPLACE);
        run.settle();
        run.undelete("/f", OptionalLong.empty());
        assertThat(run.read("/f")).isEqualTo("two");
        assertThat(run.read("/g")).isEqualTo("two");
    }

    private static void aTree(Run run) throws IOException {
        run.fs.mkdir("/d", 0750);
        run.fs.mkdir("/d/sub", 0700);
        run.fs.setxattr("/d/sub", "user.y", new byte[] {7});
        run.write("/d/unchanged", "unchanged");
        run.write("/d/sub/changed", "one");
        run.tick();
        run.write("/d/sub/changed", LONG);
        run.write("/d/new", "new");
        for (String file : List.of("/d/sub/changed", "/d/new", "/d/unchanged")) {
            run.fs.unlink(file);
        }
        run.fs.rmdir("/d/sub");
        run.fs.rmdir("/d");
        run.settle();
        run.undelete("/d", OptionalLong.empty());
        assertThat(run.read("/d/unchanged")).isEqualTo("unchanged");
        assertThat(run.read("/d/sub/changed")).isEqualTo(LONG);
        assertThat(run.read("/d/new")).isEqualTo("new");
        assertThat(run.fs.getxattr("/d/sub", "user.y")).containsExactly(7);
        assertThat(run.paths().resolve("/d/sub").mode()).isEqualTo(0700);
        assertThat(run.volume.names().list(run.paths().resolve("/d").ino(), null, 10)).hasSize(3);
    }

    private static void aShortTree(Run run) throws IOException {
        run.fs.mkdir("/d", 0750);
        run.fs.mkdir("/d/sub", 0700);
        for (int i = 0; i < 250; i++) {   // more than a page
            run.write("/d/sub/f" + i, "number " + i);
        }
        for (int i = 0; i < 250; i++) {
            run.fs.unlink("/d/sub/f" + i);
        }
        run.fs.rmdir("/d/sub");
        run.fs.rmdir("/d");
        run.settle();
        run.undelete("/d", OptionalLong.empty());
        for (int i = 0; i < 250; i++) {
            assertThat(run.read("/d/sub/f" + i)).isEqualTo("number " + i);
        }
    }

    private static void aSlowRemoval(Run run) throws IOException {
        run.fs.mkdir("/d", 0750);
        run.fs.mkdir("/d/sub", 0700);
        run.fs.setxattr("/d/sub", "user.y", new byte[] {7});
        int files = 210;   // more than a page
        for (int i = 0; i < files; i++) {
            run.write("/d/sub/f" + i, i % 50 == 0 ? LONG + i : "number " + i);
            run.fs.setxattr("/d/sub/f" + i, "user.n", new byte[] {(byte) i});
        }
        run.fs.link("/d/sub/f0", "/d/other");
        run.fs.symlink("to", "/d/link");
        run.tick();
        long began = run.clock.instant().getEpochSecond();
        for (int i = 0; i < files; i++) {
            run.fs.unlink("/d/sub/f" + i);
            run.clock.advance(Duration.ofMillis(i % 100 == 0 ? 4_000 : 20));
            if (i % 90 == 0) {
                run.reclaim();   // what is unlinked is freed before the removal ends
            }
        }
        for (String file : List.of("/d/link", "/d/other")) {
            run.fs.unlink(file);
        }
        run.fs.rmdir("/d/sub");
        run.tick();
        run.fs.rmdir("/d");
        var removal = run.sight("/d").removal();
        assertThat(removal.first()).isEqualTo(began);
        assertThat(removal.last()).isEqualTo(run.clock.instant().getEpochSecond());
        assertThat(removal.earlier()).isZero();
        run.settle();
        run.undelete("/d", OptionalLong.empty());
        for (int i = 0; i < files; i++) {
            assertThat(run.read("/d/sub/f" + i)).isEqualTo(i % 50 == 0 ? LONG + i : "number " + i);
            assertThat(run.fs.getxattr("/d/sub/f" + i, "user.n")).containsExactly((byte) i);
        }
        assertThat(run.fs.getxattr("/d/sub", "user.y")).containsExactly(7);
        assertThat(run.paths().resolve("/d/sub").mode()).isEqualTo(0700);
        assertThat(run.paths().resolve("/d/link", false).isDirectory()).isFalse();
        assertThat(run.paths().resolve("/d/other").ino()).isEqualTo(run.paths().resolve("/d/sub/f0").ino());
        assertThat(run.paths().resolve("/d/other").links()).isEqualTo(2);
    }

    private static void writtenWhileRemoved(Run run) throws IOException {
        run.fs.mkdir("/d", 0750);
        for (String file : List.of("a", "b", "c", "e")) {
            run.write("/d/" + file, "old " + file);
        }
        run.tick();
        run.fs.unlink("/d/a");
        run.tick();
        run.write("/d/b", LONG);
        run.write("/d/new", "new");
        run.fs.mkdir("/d/made", 0755);
        run.write("/d/made/too", "made too");
        run.tick();
        run.write("/d/c", "last c");
        for (String file : List.of("b", "c", "new", "made/too")) {
            run.fs.unlink("/d/" + file);
        }
        run.fs.rmdir("/d/made");
        run.tick();
        run.fs.unlink("/d/e");
        run.fs.rmdir("/d");
        run.settle();
        run.undelete("/d", OptionalLong.empty());
        for (var file : Map.of("a", "old a", "b", LONG, "c", "last c", "e", "old e", "new", "new", "made/too",
                "made too").entrySet()) {
            assertThat(run.read("/d/" + file.getKey())).isEqualTo(file.getValue());
        }
    }

    /** Written every second while the others go, and given its second name only in the end. */
    private static void manyVersions(Run run) throws IOException {
        int versions = 205;   // more than a page
        run.fs.mkdir("/d", 0750);
        for (int i = 0; i < versions; i += 4) {
            run.write("/d/f" + i, "f" + i);
        }
        run.tick();
        for (int i = 0; i < versions; i++) {
            run.write("/d/w", "version " + i);
            run.tick();
            if (i % 4 == 0) {
                run.fs.unlink("/d/f" + i);
            }
        }
        run.fs.link("/d/w", "/d/again");
        run.tick();
        run.fs.unlink("/d/w");
        run.tick();
        run.fs.unlink("/d/again");
        run.fs.rmdir("/d");
        run.settle();
        run.undelete("/d", OptionalLong.empty());
        assertThat(run.read("/d/w")).isEqualTo("version " + (versions - 1));
        assertThat(run.read("/d/f0")).isEqualTo("f0");
        assertThat(run.paths().resolve("/d/again").ino()).isEqualTo(run.paths().resolve("/d/w").ino());
        assertThat(run.paths().resolve("/d/again").links()).isEqualTo(2);
    }

    /** They come and go every second: none of them is part of the removal. */
    private static void temporaryFiles(Run run) throws IOException {
        run.fs.mkdir("/d", 0750);
        run.write("/d/kept", "kept");
        for (int i = 0; i < 20; i++) {
            run.write("/d/tmp" + i, "temporary");
            run.tick();
            run.fs.rename("/d/tmp" + i, "/d/final" + i % 3, RenameMode.REPLACE);
            run.write("/d/brief" + i, "brief");
            run.fs.unlink("/d/brief" + i);
        }
        run.tick();
        long began = run.clock.instant().getEpochSecond();
        for (String file : List.of("final0", "final1", "kept")) {
            run.fs.unlink("/d/" + file);
            run.tick();
        }
        run.fs.unlink("/d/final2");
        run.fs.rmdir("/d");
        var removal = run.sight("/d").removal();
        assertThat(removal.first()).isEqualTo(began);
        assertThat(removal.earlier()).as("files that were moved are not removed").isZero();
        run.settle();
        run.undelete("/d", OptionalLong.empty());
        assertThat(run.volume.names().list(run.paths().resolve("/d").ino(), null, 10))
                .extracting(entry -> entry.name().toString())
                .containsExactly("final0", "final1", "final2", "kept");
    }

    private static void removedBefore(Run run) throws IOException {
        run.fs.mkdir("/d", 0750);
        run.write("/d/a", "a");
        run.write("/d/b", "b");
        run.write("/d/c", "c");
        run.tick();
        long earlier = run.clock.instant().getEpochSecond();
        run.fs.unlink("/d/a");
        run.clock.advance(Duration.ofSeconds(TreeRemovals.PAUSE + 1));
        run.fs.unlink("/d/b");
        run.tick();
        run.fs.unlink("/d/c");
        run.fs.rmdir("/d");
        var removal = run.sight("/d").removal();
        assertThat(removal.isLong()).isTrue();
        assertThat(removal.earlier()).isEqualTo(1);
        assertThat(removal.lastEarlier()).hasValue(earlier);
        run.settle();
        run.undelete("/d", OptionalLong.empty());
        assertThat(run.volume.names().list(run.paths().resolve("/d").ino(), null, 10)).hasSize(2);
    }

    private static void aMovedTree(Run run) throws IOException {
        run.fs.mkdir("/d", 0750);
        run.write("/d/a", "a");
        run.write("/d/b", "b");
        run.tick();
        run.fs.unlink("/d/a");
        run.tick();
        run.fs.rename("/d", "/moved", RenameMode.REPLACE);
        run.settle();
        run.undelete("/d", OptionalLong.empty());
        assertThat(run.volume.names().list(run.paths().resolve("/d").ino(), null, 10)).hasSize(1);
        assertThat(run.read("/moved/b")).isEqualTo("b");
    }

    private static void aNameOfTwo(Run run) throws IOException {
        run.write("/f", "one");
        run.fs.link("/f", "/g");
        run.tick();
        run.write("/f", "two");
        run.fs.unlink("/f");
        run.settle();
        run.undelete("/f", OptionalLong.empty());
        assertThat(run.read("/f")).isEqualTo("two");
    }

    private static void whileOpen(Run run) throws IOException {
        run.write("/f", "one");
        run.tick();
        run.write("/f", "two");
        try (var open = run.volume.vfs().open(run.paths().resolve("/f").ino())) {
            run.fs.unlink("/f");
            run.tick();
            open.write(0, ByteBuffer.wrap("later".getBytes(StandardCharsets.UTF_8)));
            open.fsync();
            run.tick();
        }
        run.settle();
        run.undelete("/f", OptionalLong.empty());
        assertThat(run.read("/f")).isEqualTo("two");
    }

    /** As a command does when it ends, and nobody else has the volume open. */
    private static void givenBackAtOnce(Run run) throws IOException {
        run.write("/f", "inline");
        run.write("/g", LONG);
        run.fs.unlink("/f");
        run.fs.unlink("/g");
        run.volume.superblock().sessions().renew(run.volume.session(), Long.MAX_VALUE);
        var reclaim = new Reclaim(run.engine, run.clock, run.volume.session().id());
        while (reclaim.freeOrphans()) {
            // one batch after the other
        }
        run.settle();
        run.undelete("/f", OptionalLong.empty());
        run.undelete("/g", OptionalLong.empty());
        assertThat(run.read("/f")).isEqualTo("inline");
        assertThat(run.read("/g")).isEqualTo(LONG);
    }

    private static void withoutRetention(Run run) throws IOException {
        run.volume.ticks().retain(0);
        run.write("/f", "one");
        run.fs.unlink("/f");
        assertThat(MetadataAudit.of(run.engine).historic()).isZero();
        assertThat(new Versions(run.engine, run.clock).lastSeen(Vfs.ROOT, Name.of("f"))).isEmpty();
    }

    private static void purged(Run run) throws IOException {
        run.volume.ticks().retain(60);
        run.write("/f", LONG);
        run.fs.unlink("/f");
        run.settle();
        assertThat(new Versions(run.engine, run.clock).lastSeen(Vfs.ROOT, Name.of("f"))).isPresent();
        run.clock.advance(Duration.ofSeconds(61));
        assertThat(new Versions(run.engine, run.clock).lastSeen(Vfs.ROOT, Name.of("f")))
                .as("out of the window, if not purged yet").isEmpty();
        run.settle();
        assertThat(MetadataAudit.of(run.engine).historic()).isZero();
        assertThat(run.store.list("")).isEmpty();
    }

    /** Few names, short times: whatever was removed comes back as it was just before. */
    private static void atRandom(Run run) throws IOException {
        record Gone(String path, long ino, String content) {}
        long seed = System.nanoTime();
        var random = new Random(seed);
        var there = new HashMap<String, String>();
        var gone = new ArrayList<Gone>();
        for (int i = 0; i < 150; i++) {
            String path = "/" + random.nextInt(3);
            var content = there.get(path);
            switch (random.nextInt(4)) {
                case 0, 1 -> {
                    there.put(path, i % 5 == 0 ? LONG + i : "content " + i);
                    run.write(path, there.get(path));
                }
                case 2 -> {
                    if (content != null) {
                        gone.add(new Gone(path, run.paths().resolve(path).ino(), content));
                        run.fs.unlink(path);
                        there.remove(path);
                    }
                }
                default -> {
                    String other = "/" + random.nextInt(3);
                    if (content != null && !other.equals(path)) {
                        if (there.containsKey(other)) {
                            gone.add(new Gone(other, run.paths().resolve(other).ino(), there.get(other)));
                        }
                        gone.removeIf(one -> one.path().equals(path) && one.ino() == inode(run, path));
                        run.fs.rename(path, other, RenameMode.REPLACE);
                        there.put(other, there.remove(path));
                    }
                }
            }
            run.clock.advance(Duration.ofMillis(random.nextInt(3) == 0 ? 700 : 10));
        }
        run.settle();
        int number = 0;
        for (var one : gone) {
            String to = "/back" + number++;
            run.undelete(one.path(), OptionalLong.of(one.ino()), to);
            assertThat(run.read(to)).as("seed %d: %s", seed, one).isEqualTo(one.content());
        }
        for (var one : Map.copyOf(there).entrySet()) {
            assertThat(run.read(one.getKey())).isEqualTo(one.getValue());
        }
    }

    private static long inode(Run run, String path) {
        try {
            return run.paths().resolve(path).ino();
        } catch (IOException none) {
            throw new AssertionError(none);
        }
    }

    /** A volume and its clock, which stands still unless it is told to go on. */
    private static final class Run {
        private final MetaEngine engine;
        private final ManualClock clock = new ManualClock();
        private final MemoryBlockStore store = new MemoryBlockStore();
        private final TestVolume volume;
        private final VfsPosix fs;

        Run(MetaEngine engine) throws IOException {
            this.engine = engine;
            this.volume = TestVolume.open(engine, store, SETTINGS, Runnable::run, clock);
            this.fs = new VfsPosix(volume.vfs());
        }

        void tick() {
            clock.advance(Duration.ofSeconds(1));
        }

        Paths paths() {
            return new Paths(volume.vfs());
        }

        void write(String path, String text) throws IOException {
            var place = paths().place(path);
            try (var file = place.found().isPresent() ? volume.vfs().open(place.found().get().ino())
                    : volume.vfs().create(place.directory(), place.name(), 0644, Owner.ROOT)) {
                file.truncate(0);
                file.write(0, ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
            }
        }

        String read(String path) throws IOException {
            return read(volume.vfs(), path);
        }

        private static String read(Vfs vfs, String path) throws IOException {
            var found = new Paths(vfs).resolve(path);
            var bytes = ByteBuffer.allocate((int) found.size());
            try (var file = vfs.open(found.ino())) {
                file.read(0, bytes);
            }
            return new String(bytes.array(), StandardCharsets.UTF_8);
        }

        List<Versions.Version> versions(String path) throws IOException {
            return new Versions(engine, clock).of(List.of(Name.of(path.substring(1))));
        }

        Versions.Sight sight(String path) throws IOException {
            return new Versions(engine, clock).lastSeen(Vfs.ROOT, Name.of(path.substring(1))).orElseThrow();
        }

        /** Everything that has no name is given back, as if none were open. */
        void reclaim() throws IOException {
            volume.superblock().sessions().renew(volume.session(), Long.MAX_VALUE);
            var reclaim = new Reclaim(engine, clock, volume.session().id());
            while (reclaim.freeOrphans()) {
                // one batch after the other
            }
        }

        /** Time goes by: what can be given back and purged is. */
        void settle() throws IOException {
            for (int round = 0; round < 3; round++) {
                clock.advance(Duration.ofSeconds(2));
                volume.reclaim();
                new Purge(engine, clock, volume.session().id()).run(Purge.Watcher.NONE);
            }
            assertThat(MetadataAudit.of(engine).with(store).problems()).isEmpty();
        }

        void undelete(String path, OptionalLong inode) throws IOException {
            undelete(path, inode, path);
        }

        void undelete(String path, OptionalLong inode, String to) throws IOException {
            var versions = new Versions(engine, clock);
            var name = Name.of(path.substring(1));
            var sight = (inode.isPresent() ? versions.lastSeen(Vfs.ROOT, name, inode.getAsLong())
                    : versions.lastSeen(Vfs.ROOT, name)).orElseThrow();
            var past = sight.removed() ? new UndeleteEngine(engine, sight.removal().first(), sight.tick(), inode)
                    : new PastEngine(engine, sight.tick());
            var names = new Namespace(past, clock, 0);
            var blocks = new BlockIo(TestVolume.ID, store, Compression.None::new, 1 << 20);
            try (var vfs = new Vfs(names, new Chunks(names.files(), blocks, SETTINGS, Runnable::run, clock),
                    () -> {})) {
                var trees = new Trees(engine, clock, volume.names());
                var found = new Paths(vfs).resolve(path, false);
                trees.place(trees.copy(past, found.ino(), Vfs.ROOT, Trees.Watcher.NONE), Vfs.ROOT,
                        Name.of(to.substring(1)), false);
            }
            assertThat(MetadataAudit.of(engine).problems()).isEmpty();
        }

        /** Without retention nothing of it is left. */
        void forget() throws IOException {
            volume.ticks().retain(0);
            settle();
            settle();
            assertThat(MetadataAudit.of(engine).historic()).isZero();
        }
    }
}
