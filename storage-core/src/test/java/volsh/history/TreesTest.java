package volsh.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import volsh.block.memory.MemoryBlockStore;
import volsh.chunk.ChunkSettings;
import volsh.engine.Keys;
import volsh.engine.MetaDamagedException;
import volsh.engine.MetaEngine;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.meta.EngineKind;
import volsh.meta.MetadataAudit;
import volsh.meta.Moments;
import volsh.meta.Namespace;
import volsh.meta.OnEveryEngine;
import volsh.meta.Sessions;
import volsh.vfs.ManualClock;
import volsh.vfs.Paths;
import volsh.vfs.Program;
import volsh.vfs.TestVolume;
import volsh.vfs.Vfs;
import volsh.vfs.VfsPosix;

/** Copies of trees: whole or not there, wherever their maker was killed. */
@OnEveryEngine
final class TreesTest {
    private static final int BLOCK = 4096;

    private final ManualClock clock = new ManualClock();
    private final EngineKind kind;
    private final int files;
    private final MetaEngine engine;
    private final MemoryBlockStore store = new MemoryBlockStore();
    private TestVolume volume;

    TreesTest(EngineKind kind) throws IOException {
        this.kind = kind;
        files = kind.steps(450);
        engine = kind.open();
    }

    @BeforeEach
    void fill() throws IOException {
        volume = TestVolume.open(engine, store, new ChunkSettings(BLOCK, 500, 1 << 20), Runnable::run, clock);
        var fs = new VfsPosix(volume.vfs());
        fs.mkdir("/a", 0750);
        fs.mkdir("/a/sub", 0700);
        for (int i = 0; i < files; i++) {
            write("/a/f%03d".formatted(i), i % 3 == 0 ? 1000 : 20, 0);
        }
        for (int i = 0; i < kind.steps(130); i++) {   // an extent each
            write("/a/sub/holes", 700, 2L * i * BLOCK);
        }
        fs.link("/a/f000", "/a/sub/link");
        fs.symlink("../f001", "/a/sub/symlink");
        fs.setxattr("/a/sub/holes", "user.x/y", new byte[] {1, 2});
        clock.advance(Duration.ofSeconds(5));
    }

    private void write(String path, int length, long offset) throws IOException {
        var place = new Paths(volume.vfs()).place(path);
        try (var file = place.found().isPresent() ? volume.vfs().open(place.found().get().ino())
                : volume.vfs().create(place.directory(), place.name(), 0644, Owner.ROOT)) {
            byte[] bytes = new byte[length];
            Arrays.fill(bytes, (byte) (path.hashCode() + offset + 1));
            file.write(offset, ByteBuffer.wrap(bytes));
        }
    }

    private Map<String, String> tree() throws IOException {
        return new Program(new VfsPosix(volume.vfs())).tree();
    }

    /** The tree below a directory; times of change are those of the copy. */
    private Map<String, String> tree(String directory) throws IOException {
        var found = new TreeMap<String, String>();
        tree().forEach((path, text) -> {
            if (path.startsWith(directory + "/")) {
                found.put(path.substring(directory.length()), text.replaceAll(" c \\d+", ""));
            }
        });
        return found;
    }

    private long pin() throws IOException {
        return new Moments(engine, clock)
                .enterNow(volume.superblock().sessions().open("test", 7, "clone", Sessions.Role.READER).id());
    }

    private void end(int pid) throws IOException {
        for (var session : volume.superblock().sessions().list()) {
            if (session.pid() == pid) {
                volume.superblock().sessions().end(session.id());
            }
        }
    }

    private long ino(String path) throws IOException {
        return new Paths(volume.vfs()).resolve(path).ino();
    }

    private void reclaim() throws IOException {
        for (int round = 0; round < 3; round++) {
            clock.advance(Duration.ofSeconds(2));
            volume.reclaim();
        }
    }

    /** An engine that dies at its {@code left}th transaction from now, before or behind it. */
    private final class Dying implements MetaEngine {
        private int left;

        Dying(int left) {
            this.left = left;
        }

        @Override
        public <R> R transact(Work<R> work) throws IOException {
            if (left-- <= 0) {
                throw new IOException("killed");
            }
            return engine.transact(work);
        }

        @Override
        public <R> R read(Work<R> work) throws IOException {
            return engine.read(work);
        }

        @Override
        public void sync() {}

        @Override
        public void close() {}
    }

    @Test
    void aCloneHoldsWhatItsSourceHeldAndSharesTheBlocks() throws IOException {
        var before = tree("/a");
        var usage = volume.superblock().usage();
        long tick = pin();
        write("/a/f003", 5000, 0);
        volume.vfs().unlink(ino("/a"), Name.of("f004"));
        var trees = new Trees(engine, clock, volume.names());
        int[] done = new int[1];
        long copy = trees.copy(tick, ino("/a"), Vfs.ROOT, new Trees.Watcher() {
            @Override
            public void copied(int more, long bytes) {
                done[0] += more;
            }
        });
        trees.place(copy, Vfs.ROOT, Name.of("b"), false);
        assertThat(tree("/b")).isEqualTo(before);
        assertThat(done[0]).isEqualTo(files + 2);
        assertThat(ino("/b/f000")).as("two names of one file").isEqualTo(ino("/b/sub/link"))
                .isNotEqualTo(ino("/a/f000"));
        assertThat(volume.superblock().usage().storedBytes()).as("space is accounted once")
                .isBetween(usage.storedBytes(), usage.storedBytes() + 6000);
        assertThat(volume.audit()).isEmpty();
        write("/b/f006", 3000, 100);
        assertThat(tree("/a").get("/f006")).isEqualTo(before.get("/f006"));
    }

    @Test
    void whereverItsMakerIsKilledNothingIsSeenAndAllIsGivenBack() throws IOException {
        var before = tree();
        long objects = volume.blocks();
        var usage = volume.superblock().usage();
        for (int transactions = 0; ; transactions++) {
            long tick = pin();
            var dying = new Dying(transactions);
            var names = new Namespace(dying, clock, volume.session().id());
            var killed = catchThrowable(() -> {
                var trees = new Trees(dying, clock, names);
                trees.place(trees.copy(tick, ino("/a"), Vfs.ROOT, Trees.Watcher.NONE), Vfs.ROOT, Name.of("b"), false);
            });
            assertThat(volume.audit()).as("after %d transactions", transactions).isEmpty();
            if (killed == null) {
                assertThat(transactions).isGreaterThan(kind == EngineKind.MEMORY ? 8 : 2);
                assertThat(ino("/b/sub/holes")).isNotEqualTo(ino("/a/sub/holes"));
                return;
            }
            assertThat(tree()).isEqualTo(before);
            volume.reclaim();
            assertThat(MetadataAudit.of(engine).orphans()).as("its session is alive")
                    .isEqualTo(transactions > 1 ? 1 : 0);
            end(7);
            reclaim();
            assertThat(MetadataAudit.of(engine).orphans()).as("after %d transactions", transactions).isZero();
            assertThat(volume.superblock().usage()).isEqualTo(usage);
            assertThat(volume.blocks()).isEqualTo(objects);
            new Purge(engine, clock, volume.session().id()).run(Purge.Watcher.NONE);
        }
    }

    @Test
    void oneThatWasGivenBackCannotBePlaced() throws IOException {
        var trees = new Trees(engine, clock, volume.names());
        long copy = trees.copy(pin(), ino("/a"), Vfs.ROOT, Trees.Watcher.NONE);
        end(7);
        reclaim();
        assertThatThrownBy(() -> trees.place(copy, Vfs.ROOT, Name.of("b"), false)).isInstanceOfSatisfying(
                FsException.class, refused -> assertThat(refused.error()).isEqualTo(FsError.STALE));
    }

    @Test
    void aLinkThatLostItsTargetIsDamageAndNothingIsCopied() throws IOException {
        long tick = pin();
        long link = volume.vfs().lookup(ino("/a/sub"), Name.of("symlink")).ino();
        engine.transact(tx -> {
            tx.delete(Keys.target(link));
            return null;
        });
        var trees = new Trees(engine, clock, volume.names());
        assertThatThrownBy(() -> trees.copy(tick, ino("/a"), Vfs.ROOT, Trees.Watcher.NONE))
                .isInstanceOf(MetaDamagedException.class).hasMessageContaining("the link has no target");
    }

    @Test
    void aNameThatIsTakenIsRefusedOrReplacedWithAllBelowIt() throws IOException {
        var trees = new Trees(engine, clock, volume.names());
        long tick = pin();
        long copy = trees.copy(tick, ino("/a/sub"), Vfs.ROOT, Trees.Watcher.NONE);
        assertThatThrownBy(() -> trees.place(copy, Vfs.ROOT, Name.of("a"), false)).isInstanceOf(FsException.class);
        trees.place(copy, Vfs.ROOT, Name.of("a"), true);
        assertThat(tree("/a").keySet()).containsExactly("/holes", "/link", "/symlink");
        assertThat(volume.audit()).isEmpty();
        end(7);
        new Purge(engine, clock, volume.session().id()).run(Purge.Watcher.NONE);
        reclaim();
        assertThat(MetadataAudit.of(engine).orphans()).isZero();
        assertThat(volume.audit()).isEmpty();
        assertThat(volume.superblock().usage().inodes()).isEqualTo(5);
    }

    @Test
    void aVolumeWithManyNamesInItsRootIsRestored() throws IOException {
        int count = Math.max(48, kind.steps(100));   // more than are restored in one step
        for (int i = 0; i < count; i++) {
            write("/file%03d".formatted(i), 10, 0);
        }
        var before = tree();
        long tick = pin();
        for (int i = 0; i < count - 1; i += 3) {
            volume.vfs().unlink(Vfs.ROOT, Name.of("file%03d".formatted(i)));
            volume.vfs().makeDirectory(Vfs.ROOT, Name.of("new%03d".formatted(i)), 0755, Owner.ROOT);
            volume.vfs().makeDirectory(Vfs.ROOT, Name.of("other%03d".formatted(i)), 0755, Owner.ROOT);
            write("/file%03d".formatted(i + 1), 3000, 0);
        }
        clock.advance(Duration.ofSeconds(3));
        var trees = new Trees(engine, clock, volume.names());
        trees.placeAsRoot(trees.copy(tick, Vfs.ROOT, Vfs.ROOT, Trees.Watcher.NONE), tick);
        var after = tree();
        assertThat(after.keySet()).isEqualTo(before.keySet());
        before.forEach((path, text) -> assertThat(after.get(path).replaceAll(" c \\d+", "")).as(path)
                .isEqualTo(text.replaceAll(" c \\d+", "")));
        assertThat(volume.audit()).isEmpty();
    }

    @Test
    void whoWatchesMayStopIt() throws IOException {
        var trees = new Trees(engine, clock, volume.names());
        long tick = pin();
        assertThatThrownBy(() -> trees.copy(tick, ino("/a"), Vfs.ROOT, new Trees.Watcher() {
            @Override
            public boolean cancelled() {
                return true;
            }
        })).isInstanceOfSatisfying(FsException.class,
                refused -> assertThat(refused.error()).isEqualTo(FsError.INTERRUPTED));
    }

    /** Purging may be stopped between any two transactions, and the next run does the rest. */
    @Test
    void purgingGoesOnWhereItWasKilled() throws IOException {
        volume.ticks().retain(3600);
        clock.advance(Duration.ofSeconds(1));
        for (int i = 0; i < files; i++) {
            volume.vfs().unlink(ino("/a"), Name.of("f%03d".formatted(i)));
        }
        reclaim();
        volume.ticks().retain(0);
        long versions = MetadataAudit.of(engine).historic();
        assertThat(versions).isGreaterThan(2L * files);
        for (int transactions = 1; MetadataAudit.of(engine).historic() > 0; transactions++) {
            clock.advance(Duration.ofSeconds(1));
            volume.renew();
            var dying = new Dying(transactions);
            var killed = catchThrowable(() -> new Purge(dying, clock, volume.session().id()).run(Purge.Watcher.NONE));
            assertThat(killed == null || killed.getMessage().equals("killed")).isTrue();
            assertThat(volume.audit()).isEmpty();
        }
        reclaim();
        assertThat(volume.audit()).isEmpty();
        assertThat(volume.superblock().usage().inodes()).as("the root, a, sub, holes, link, symlink").isEqualTo(6);
    }
}
