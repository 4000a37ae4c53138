package volsh.vfs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import volsh.block.BlockKey;
import volsh.block.BlockStore;
import volsh.block.Forwarding;
import volsh.block.file.FileBlockStore;
import volsh.block.memory.MemoryBlockStore;
import volsh.cache.MemoryCache;
import volsh.cache.disk.DiskTier;
import volsh.chunk.ChunkSettings;
import volsh.codec.BlockCodec;
import volsh.disk.SimulatedDisk;
import volsh.engine.CrashableMetaEngine;
import volsh.engine.memory.MemoryMetaEngine;
import volsh.fs.FileKind;
import volsh.fs.FsException;
import volsh.fs.Name;
import volsh.fs.NoSpaceException;
import volsh.fs.Owner;
import volsh.fs.RenameMode;
import volsh.inventory.Journals;
import volsh.journal.Journal;
import volsh.journal.Staging;
import volsh.journal.StagingSettings;
import volsh.meta.MetadataAudit;
import volsh.pack.PackCompaction;
import volsh.volume.PackedStores;

/**
 * One volume through several lives, in one thread, by one seed. Each life does random calls while calls of disk and
 * engine fail, the disk and the engine's disk fill up and empty (removing a name works all the same), and ends with
 * power loss: between two calls or within one. The next life finds
 * <ul>
 *   <li>the names as they were after some call, not before the last acknowledged sync of anything;
 *   <li>of every file its bytes as {@link CrashFile} allows, not older than its last acknowledged fsync (or close that
 *   was
 *       followed by any acknowledged sync);
 *   <li>no problem in any row, and every block that a row names.
 * </ul>
 * While a life lasts, whatever is read is what was written last, or an error. Written back, the blocks go to a journal
 * on that disk first, and from there to a store that keeps all it was given and refuses some; packed, many with one
 * request.
 */
final class Simulation {
    private static final Path ROOT = Path.of("/store");
    private static final Path JOURNALS = Path.of("/journals");
    private static final double REFUSED = 0.1;
    private static final int SIZE_MAX = 6 * 4096;
    private static final int FILES_MAX = 5;
    private static final List<String> NAMES = List.of("a", "b", "c", "d");
    private static final int LOG = 80;

    /** What must break, to show that it would be noticed. */
    enum Sabotage { NONE, DISK_IGNORES_SYNC, ENGINE_IGNORES_SYNC }

    private final long seed;
    private final Random random;
    private final Sabotage sabotage;
    private final ManualClock clock = new ManualClock();
    private final SimulatedDisk disk = new SimulatedDisk();
    private final ChunkSettings settings;
    private final ArrayDeque<String> log = new ArrayDeque<>();
    private CrashableMetaEngine durable = new CrashableMetaEngine(MemoryMetaEngine::new);
    private UnreliableMetaEngine engine;
    private final MemoryBlockStore bucket = new MemoryBlockStore();
    private BlockStore store;
    private Staging staging;   // null if it is not written back
    private TestVolume volume;
    private Vfs vfs;
    private final ArrayDeque<Runnable> background = new ArrayDeque<>();

    private final List<OpenFile> open = new ArrayList<>();
    private final Map<Long, CrashFile> files = new HashMap<>();
    /** What names led where, after each call since the last sync. */
    private final List<TreeMap<String, Long>> trees = new ArrayList<>();

    int crashes;
    int acknowledged;
    int faults;
    int refusedFull;
    int lost;
    int adopted;
    int stored;
    long tails;
    long merges;
    long packs;
    long compacted;
    long packedFiles;
    long gathered;
    private PackCompaction compaction;

    /** What becomes of a block that is written. */
    enum Way { STORED, WRITTEN_BACK, PACKED }

    private final Way way;

    Simulation(long seed, Way way, Sabotage sabotage) {
        this.way = way;
        this.seed = seed;
        this.random = new Random(seed);
        this.sabotage = sabotage;
        this.settings = new ChunkSettings(4096, new int[] {0, 600, 4096}[random.nextInt(3)],
                20480L * (2 + random.nextInt(5)), seed % 2 == 0 ? 0 : 24 << 10);
        if (sabotage == Sabotage.DISK_IGNORES_SYNC) {
            disk.ignoreSyncs();
        }
    }

    void run(int lives, int calls) throws IOException {
        begin();
        trees.add(tree());
        for (int life = 0; life < lives; life++) {
            engine.faultRate(random.nextBoolean() ? 0.01 : 0);
            boolean within = random.nextBoolean();
            int last = random.nextInt(calls);
            for (int i = 0; i < calls && !engine.isOff(); i++) {
                if (within && i == last) {
                    loseSoon();
                }
                call();
            }
            crash();
        }
    }

    private void begin() throws IOException {
        engine = new UnreliableMetaEngine(durable, random, sabotage != Sabotage.ENGINE_IGNORES_SYNC);
        store = way == Way.STORED ? new FileBlockStore(ROOT, disk) : staged();
        var cache = new MemoryCache(settings.cacheBytes(), BlockCodec.FRAME_LENGTH);
        var lasting = way == Way.STORED ? store : staging.delegate();
        volume = TestVolume.open(engine, store, settings, Runnable::run, clock, cache, DiskTier.NONE,
                new TestVolume.Background(lasting, background::add));
        vfs = volume.vfs();
        vfs.packing().gather(seed % 3 == 0 ? 0 : settings.blockSize(), 3L * settings.blockSize());
    }

    private BlockStore staged() throws IOException {
        var own = Journal.create(new UUID(seed, crashes), JOURNALS.resolve("%04d".formatted(crashes)), disk, clock);
        var settings = new StagingSettings(random.nextInt(4) == 0 ? 20_000 : Long.MAX_VALUE / 2,
                Duration.ofMillis(random.nextInt(3) * 500));
        var refusing = new Refusing(bucket, random);
        var packed = PackedStores.of(refusing, engine, TestVolume.ID);
        compaction = packed.compaction();
        staging = way == Way.PACKED
                ? new Staging(packed.store(), Optional.of(packed.packing()), Optional.of(own), settings, clock)
                : new Staging(refusing, Optional.of(own), settings, clock);
        var names = new Journals(engine);
        for (int life = 0; life < crashes; life++) {
            var left = Journal.open(new UUID(seed, life), JOURNALS.resolve("%04d".formatted(life)), disk, clock);
            staging.adopt(left, names::named);
            adopted += left.blocks().size();
        }
        return staging;
    }

    /** Refuses some puts, one half of them after it has done them. */
    private record Refusing(BlockStore delegate, Random random) implements Forwarding {
        @Override
        public void put(BlockKey key, ByteBuffer data) throws IOException {
            boolean refused = random.nextDouble() < REFUSED;
            if (!refused || random.nextBoolean()) {
                delegate.put(key, data);
            }
            if (refused) {
                throw new IOException("refused: " + key);
            }
        }
    }

    private void storeSome(int most) {
        for (int i = 0; i < most && staging.storeOne(); i++) {
            stored++;
        }
    }

    // ---- calls

    private interface Act {
        void run() throws IOException;
    }

    /** Does it; true if it was done. Trouble is what is simulated: whatever else is thrown is a failure. */
    private boolean done(String what, Act act) {
        log.addLast(what);
        if (log.size() > LOG) {
            log.removeFirst();
        }
        try {
            act.run();
            return true;
        } catch (FsException refused) {
            log.addLast("  refused: " + refused.getMessage());
        } catch (IOException trouble) {
            log.addLast("  failed: " + trouble.getMessage());
            faults++;
            if (NoSpaceException.isBehind(trouble)) {
                refusedFull++;
                assertThat(what).as(story(what)).doesNotStartWith("unlink").doesNotStartWith("rmdir");
            }
            if (trouble.getMessage().contains("simulated power loss")) {
                engine.losePowerAt(0);
            }
        } catch (RuntimeException | AssertionError failure) {
            throw new AssertionError(story(what), failure);
        }
        return false;
    }

    private void call() throws IOException {
        clock.advance(Duration.ofMillis(random.nextInt(300)));
        if (random.nextInt(40) == 0) {
            disk.failCall(1 + random.nextInt(12));
        }
        if (random.nextInt(60) == 0) {
            disk.capacity(random.nextInt(3) == 0 ? 40_000 : Long.MAX_VALUE);
        }
        if (random.nextInt(60) == 0) {
            engine.full(random.nextInt(3) == 0);
        }
        if (way != Way.STORED && random.nextInt(8) == 0) {
            storeSome(1 + random.nextInt(4));
        }
        if (way == Way.PACKED && random.nextInt(10) == 0) {
            done("compact", () -> compacted += compaction.run(() -> false).sparse());
        }
        if (random.nextInt(12) == 0) {
            done("pack files", () -> packedFiles += vfs.packing().pack(Vfs.ROOT, true,
                    new PackingRules(1, 2, true, false, false), PackingListener.NONE).packed());
        }
        if (random.nextInt(12) == 0 && vfs.packing().gathered().files() > 0) {
            done("store gathered", () -> {
                int before = vfs.packing().gathered().files();
                vfs.packing().storeGathered(settings.blockSize(), PackingListener.NONE);
                gathered += before - vfs.packing().gathered().files();
            });
        }
        if (random.nextInt(5) == 0 && !background.isEmpty()) {
            done("merge", () -> background.removeFirst().run());
        }
        int dice = random.nextInt(100);
        if (open.isEmpty() || dice < 8) {
            openFile();
        } else if (dice < 50) {
            write(any());
        } else if (dice < 58) {
            read(any());
        } else if (dice < 66) {
            fsync(any());
        } else if (dice < 72) {
            close(any());
        } else if (dice < 82) {
            reshape(any());
        } else if (dice < 99) {
            name();
        } else {
            clock.advance(Duration.ofSeconds(2));
            done("reclaim", volume::reclaim);
        }
    }

    private OpenFile any() {
        return open.get(random.nextInt(open.size()));
    }

    private int offset() {
        return random.nextBoolean() ? random.nextInt(SIZE_MAX) : random.nextInt(6) * 4096 + random.nextInt(3);
    }

    private byte[] bytes() {
        byte[] bytes = new byte[1 + random.nextInt(random.nextBoolean() ? 200 : 6000)];
        random.nextBytes(bytes);
        return bytes;
    }

    private CrashFile model(OpenFile file) {
        return files.get(file.ino());
    }

    private void write(OpenFile file) throws IOException {
        boolean append = random.nextInt(4) == 0 && model(file).current().length < SIZE_MAX;
        int offset = append ? model(file).current().length : offset();
        byte[] bytes = bytes();
        boolean written = done("write %d: %d bytes at %d".formatted(file.ino(), bytes.length, offset),
                () -> file.write(offset, ByteBuffer.wrap(bytes)));
        if (written) {
            model(file).write(bytes, offset);
        } else {
            model(file).write(bytes, offset);   // perhaps in part, and perhaps to survive
            seen(file);
        }
        if (append) {
            fsync(file);
        }
    }

    /** After an operation that failed half way: the file is what programs see now. */
    private void seen(OpenFile file) {
        if (engine.isOff()) {
            return;
        }
        calm();
        done("look at " + file.ino(), () -> {
            byte[] found = load(file);
            assertThat(model(file).wrong(found)).isNull();
            model(file).found(found);
        });
    }

    private void calm() {
        disk.failCall(0);
        disk.capacity(Long.MAX_VALUE);
        engine.full(false);
    }

    private byte[] load(OpenFile file) throws IOException {
        byte[] bytes = new byte[Math.toIntExact(file.attributes().size())];
        assertThat(file.read(0, ByteBuffer.wrap(bytes))).isEqualTo(bytes.length);
        return bytes;
    }

    private void read(OpenFile file) {
        done("read " + file.ino(), () -> {
            byte[] right = model(file).current();
            assertThat(file.attributes().size()).isEqualTo(right.length);
            byte[] found = load(file);
            assertThat(Arrays.mismatch(found, right)).as("first wrong byte").isEqualTo(-1);
        });
    }

    private void fsync(OpenFile file) {
        if (done("fsync " + file.ino(), file::flush)) {
            model(file).flushed();
            if (done("  and sync", file::fsync)) {
                acknowledged++;
                files.values().forEach(CrashFile::synced);
                trees.subList(0, trees.size() - 1).clear();
            }
        }
    }

    private void close(OpenFile file) throws IOException {
        open.remove(file);
        if (done("close " + file.ino(), file::close)) {
            model(file).flushed();
        }
    }

    private void reshape(OpenFile file) throws IOException {
        int from = offset();
        int to = from + 1 + random.nextInt(6000);
        var other = any();
        var model = model(file);
        boolean done = switch (random.nextInt(3)) {
            case 0 -> {
                boolean cut = done("truncate %d to %d".formatted(file.ino(), from), () -> file.truncate(from));
                model.truncate(from);
                yield cut;
            }
            case 1 -> {
                boolean punched = done("punch %d from %d to %d".formatted(file.ino(), from, to),
                        () -> file.zero(from, to - from, true));
                if (punched) {
                    model.flushed();
                }
                model.zero(from, to);
                if (punched) {
                    model.flushed();
                }
                yield punched;
            }
            default -> copy(other, file, from, to);
        };
        if (!done) {
            seen(file);
        }
    }

    private boolean copy(OpenFile source, OpenFile target, int from, int to) {
        byte[] bytes = model(source).current();
        int length = Math.min(5000, bytes.length - from);
        if (length <= 0 || source.ino() == target.ino()) {
            return true;
        }
        boolean copied = done("copy %d bytes of %d at %d to %d at %d".formatted(length, source.ino(), from,
                target.ino(), to), () -> source.copyTo(from, target, to, length));
        if (copied) {
            model(source).flushed();
        }
        model(target).copyInto(Arrays.copyOfRange(bytes, from, from + length), to);
        if (copied) {
            model(target).flushed();
        }
        return copied;
    }

    // ---- names

    private record Spot(long directory, String path, Name name) {}

    private Spot spot() throws IOException {
        var directories = trees.getLast().keySet().stream().filter(path -> path.endsWith("/")).toList();
        var parent = directories.get(random.nextInt(directories.size()));
        var name = NAMES.get(random.nextInt(NAMES.size()));
        return new Spot(trees.getLast().get(parent), parent + name, Name.of(name));
    }

    private void openFile() throws IOException {
        if (open.size() >= FILES_MAX) {
            close(any());
            return;
        }
        var spot = spot();
        var ino = trees.getLast().get(spot.path());
        if (ino == null && !trees.getLast().containsKey(spot.path() + "/")) {
            done("create " + spot.path(), () -> {
                var file = vfs.create(spot.directory(), spot.name(), 0644, Owner.ROOT);
                open.add(file);
                files.put(file.ino(), new CrashFile(settings.blockSize(), new byte[0]));
            });
            changed();
        } else if (ino != null) {
            done("open " + spot.path(), () -> open.add(vfs.open(ino)));
        }
    }

    private void name() throws IOException {
        var spot = spot();
        var other = spot();
        switch (random.nextInt(7)) {
            case 0 -> done("mkdir " + spot.path(),
                    () -> vfs.makeDirectory(spot.directory(), spot.name(), 0755, Owner.ROOT));
            case 1 -> done("rmdir " + spot.path(), () -> vfs.removeDirectory(spot.directory(), spot.name()));
            case 2 -> done("unlink " + spot.path(), () -> vfs.unlink(spot.directory(), spot.name()));
            case 3 -> {
                var ino = trees.getLast().get(spot.path());
                if (ino != null) {
                    done("link %s as %s".formatted(spot.path(), other.path()),
                            () -> vfs.link(ino, other.directory(), other.name()));
                }
            }
            default -> {
                var mode = RenameMode.values()[random.nextInt(3)];
                done("rename %s to %s %s".formatted(spot.path(), other.path(), mode),
                        () -> vfs.rename(spot.directory(), spot.name(), other.directory(), other.name(), mode));
            }
        }
        changed();
    }

    private void changed() throws IOException {
        trees.add(tree());
    }

    /** Which inode every path leads to; paths of directories end with a slash. */
    private TreeMap<String, Long> tree() throws IOException {
        var tree = new TreeMap<String, Long>();
        tree.put("/", Vfs.ROOT);
        walk("/", Vfs.ROOT, tree);
        return tree;
    }

    private void walk(String path, long directory, TreeMap<String, Long> tree) throws IOException {
        for (var entry : vfs.list(directory, null, 1000)) {
            var child = path + entry.name() + (entry.kind() == FileKind.DIRECTORY ? "/" : "");
            tree.put(child, entry.ino());
            if (child.endsWith("/")) {
                walk(child, entry.ino(), tree);
            }
        }
    }

    // ---- crashes

    private void loseSoon() {
        log.addLast("power will fail");
        if (random.nextBoolean()) {
            engine.losePowerAt(1 + random.nextInt(6));
        } else {
            disk.losePowerAtCall(1 + random.nextInt(20));
        }
    }

    private void crash() throws IOException {
        crashes++;
        log.addLast("CRASH");
        tails += vfs.merging().rewrites().tails();
        merges += vfs.merging().rewrites().merges();
        background.clear();
        faults += (int) engine.faults;
        abandon();
        durable = durable.crash(random);
        disk.crash(random);
        disk.capacity(Long.MAX_VALUE);
        open.clear();
        clock.advance(Duration.ofSeconds(100));
        begin();
        volume.superblock().sessions().fenceExpired();
        try {
            check();
        } catch (IOException | RuntimeException | AssertionError failure) {
            throw new AssertionError(story("after the crash"), failure);
        }
    }

    /** Gives the memory of the dying volume back; it can write nothing any more. */
    private void abandon() {
        engine.losePowerAt(0);
        disk.losePowerAtCall(1);
        try {
            vfs.close();
        } catch (IOException unwritten) {
            // that is the point
        }
    }

    private void check() throws IOException {
        var audit = MetadataAudit.of(engine);
        if (way == Way.STORED) {
            audit.withNeeded(store);
        } else if (random.nextBoolean()) {
            storeEverything();
            audit = MetadataAudit.of(engine).withNeeded(bucket);
            packs += count("packs/");
        }
        assertThat(audit.problems()).isEmpty();
        var found = tree();
        assertThat(trees).as("the names after some call since the last sync").contains(found);
        lost += trees.size() - 1 - trees.lastIndexOf(found);
        var survivors = new HashMap<Long, CrashFile>();
        for (var entry : found.entrySet()) {
            if (!entry.getKey().endsWith("/")) {
                byte[] bytes = content(entry.getValue());
                assertThat(files.get(entry.getValue()).wrong(bytes)).as(entry.getKey() + ", inode " + entry.getValue())
                        .isNull();
                survivors.put(entry.getValue(), new CrashFile(settings.blockSize(), bytes));
            }
        }
        files.clear();
        files.putAll(survivors);
        trees.clear();
        trees.add(found);
        engine.sync();
        durable.sync();
    }

    private long count(String prefix) throws IOException {
        try (var listed = bucket.list(prefix)) {
            return listed.count();
        }
    }

    private void storeEverything() throws IOException {
        for (int i = 0; !staging.isIdle(); i++) {
            assertThat(i).as("attempts, %s", staging.status()).isLessThan(1_000);
            storeSome(1000);
            clock.advance(Duration.ofSeconds(20));
            if (i == 100) {
                // of a dead block a damaged entry may be left, and the object be gone: what reads it is gone, too
                volume.reclaim();
            }
        }
        assertThat(staging.status().blocks()).isZero();
    }

    private byte[] content(long ino) throws IOException {
        try (var file = vfs.open(ino)) {
            return load(file);
        }
    }

    private String story(String when) {
        return "seed %d, %s, %s%n%s%n".formatted(seed, settings, when, String.join("\n", log));
    }
}
