package volsh.upkeep;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import volsh.block.BlockKey;
import volsh.block.memory.MemoryBlockStore;
import volsh.chunk.ChunkSettings;
import volsh.engine.MetaEngine;
import volsh.engine.MetaKey;
import volsh.fs.FileKind;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.inventory.Row;
import volsh.inventory.Superblock;
import volsh.meta.MetadataAudit;
import volsh.meta.NodeRow;
import volsh.meta.Quotas;
import volsh.quota.Account;
import volsh.quota.QuotaRule;
import volsh.upkeep.check.Check;
import volsh.upkeep.check.CheckOptions;
import volsh.upkeep.check.CheckReport;
import volsh.upkeep.repair.Repair;
import volsh.vfs.ManualClock;
import volsh.vfs.Program;
import volsh.vfs.RandomCalls;
import volsh.vfs.TestVolume;
import volsh.vfs.Vfs;
import volsh.vfs.VfsPosix;

/** A healthy volume with a random past, nobody in it, and the means to damage it row by row. */
public final class Specimen {
    public static final UUID ID = new UUID(1, 2);
    private static final int BLOCK = 4096;

    public final MetaEngine engine;
    public final MemoryBlockStore store;
    final Path directory;
    public final Random random;
    private final InstantSource clock;

    Specimen(MetaEngine engine, MemoryBlockStore store, Path directory, Random random, InstantSource clock) {
        this.engine = engine;
        this.store = store;
        this.directory = directory;
        this.random = random;
        this.clock = clock;
    }

    /** Makes one in an empty engine: random calls, then at least one of everything. */
    public static Specimen make(MetaEngine engine, Path directory, long seed, int calls) throws IOException {
        var random = new Random(seed);
        var clock = new ManualClock();
        var store = new MemoryBlockStore();
        try (var volume = TestVolume.open(engine, store, new ChunkSettings(BLOCK, 700, 1 << 20), Runnable::run,
                clock)) {
            volume.ticks().retain(random.nextBoolean() ? 1_000_000 : 0);
            var program = new Program(new VfsPosix(volume.vfs()));
            var next = RandomCalls.appending(random, 12 * BLOCK, BLOCK);
            for (int i = 0; i < calls; i++) {
                if (i == calls / 2 && seed % 2 == 1) {   // from here on owners are counted
                    new Quotas(engine, clock, volume.session().id())
                            .set(Account.user(7), QuotaRule.NONE, 1 << 20, counted -> {});
                }
                clock.advance(Duration.ofMillis(random.nextInt(500)));
                program.run(next.next(program.openFiles()).call());
            }
            program.closeAll();
            ofEverything(volume, clock);
        }
        var made = new Specimen(engine, store, directory, random, clock);
        made.pack();
        return made;
    }

    private static void ofEverything(TestVolume volume, ManualClock clock) throws IOException {
        var vfs = volume.vfs();
        long pin = volume.ticks().pin();
        clock.advance(Duration.ofSeconds(3));
        long d = vfs.makeDirectory(Vfs.ROOT, Name.of("the directory"), 0755, Owner.ROOT).ino();
        long below = vfs.makeDirectory(d, Name.of("below"), 0755, Owner.ROOT).ino();
        vfs.makeDirectory(below, Name.of("deeper"), 0755, Owner.ROOT);
        vfs.makeSymlink(d, Name.of("link"), "there".getBytes(), Owner.ROOT);
        try (var file = vfs.create(d, Name.of("file"), 0644, Owner.ROOT);
                var copy = vfs.create(d, Name.of("copy"), 0644, Owner.ROOT);
                var small = vfs.create(d, Name.of("small"), 0644, Owner.ROOT);
                        var gone = vfs.create(d, Name.of("gone"), 0644, Owner.ROOT)) {
            file.write(0, ByteBuffer.allocate(5 * BLOCK));
            file.flush();
            file.copyTo(0, copy, 0, 2 * BLOCK);
            small.write(0, ByteBuffer.wrap("small".getBytes()));
            gone.write(0, ByteBuffer.allocate(BLOCK));
            gone.flush();
            volume.names().extendedAttributes()
                    .set(file.ino(), "user.a".getBytes(), "b".getBytes(), volsh.meta.ExtendedAttributes.Mode.ALWAYS);
        }
        clock.advance(Duration.ofSeconds(2));
        try (var file = vfs.open(vfs.lookup(d, Name.of("small")).ino())) {
            file.write(0, ByteBuffer.wrap("other".getBytes()));
        }
        volume.ticks().pin();
        clock.advance(Duration.ofSeconds(2));
        try (var file = vfs.open(vfs.lookup(d, Name.of("small")).ino())) {
            file.write(0, ByteBuffer.wrap("third".getBytes()));
        }
        volume.ticks().unpin(pin);
        vfs.unlink(d, Name.of("gone"));
    }

    /** Puts one block into a pack. */
    private void pack() throws IOException {
        Set<Long> dead = all(Row.kind('d'), Row.kind('d').afterPrefix()).stream()
                .map(row -> ((Row.Dead) Row.of(row)).block()).collect(Collectors.toSet());
        // where one that nobody needs lies is nobody's concern
        var block = pick(Row.Block.class, 'b', row -> !dead.contains(row.row().id())).row();
        var bytes = ByteBuffer.allocate((int) block.storedSize());
        store.get(BlockKey.of(block.id()), 0, bytes);
        var next = (Row.NextNumber) row(new Row.NextNumber("block", 0).entry().key());
        put(new Row.NextNumber("block", next.next() + 1));
        var id = "%016x".formatted(next.next());
        store.put(new BlockKey("packs/" + id.substring(14) + "/" + id), bytes.flip());
        store.delete(BlockKey.of(block.id()));
        put(new Row.Pack(next.next(), new UUID(3, 4), 1));
        put(new Row.Place(block.id(), next.next(), 0, (int) block.storedSize()));
    }

    /** The same volume in another, empty engine. */
    public Specimen in(MetaEngine other) throws IOException {
        var rows = all(MetaKey.of((byte) 0), MetaKey.of((byte) 0xff));
        for (int from = 0; from < rows.size(); from += 500) {
            var some = rows.subList(from, Math.min(rows.size(), from + 500));
            other.transact(tx -> {
                for (var row : some) {
                    tx.put(row.key(), row.value());
                }
                return null;
            });
        }
        return new Specimen(other, store, directory, random, clock);
    }

    /** Whose counters may be wrong. */
    public Account account() {
        int id = random.nextInt(3);
        return switch (random.nextInt(3)) {
            case 0 -> Account.project(1 + id);
            case 1 -> Account.user(id);
            default -> Account.group(id);
        };
    }

    // ---- looking

    private List<MetaEngine.Entry> all(MetaKey from, MetaKey to) throws IOException {
        var found = new ArrayList<MetaEngine.Entry>();
        var rows = new Cursor(engine, from, to, Watcher.NONE);
        while (rows.peek() != null) {
            found.add(rows.next());
        }
        return found;
    }

    Row row(MetaKey key) throws IOException {
        byte[] value = engine.read(tx -> tx.get(key));
        return value == null ? null : Row.of(new MetaEngine.Entry(key, value));
    }

    /** Any row of a kind that fits. */
    public <R extends Row> R pick(Class<R> type, char kind, Predicate<R> fits) throws IOException {
        var fitting = all(Row.kind(kind), Row.kind(kind).afterPrefix()).stream()
                .map(Row::of).filter(type::isInstance).map(type::cast).filter(fits).toList();
        if (fitting.isEmpty()) {
            throw new AssertionError("the specimen has no such row: " + kind);
        }
        return fitting.get(random.nextInt(fitting.size()));
    }

    public Row.Node node(Predicate<NodeRow> fits) throws IOException {
        return pick(Row.Node.class, 'N', node -> node.ino() != 1 && node.row().links() > 0 && fits.test(node.row()));
    }

    public Row.Node file(NodeRow.Storage storage) throws IOException {
        return node(row -> row.kind() == FileKind.REGULAR && row.storage() == storage && row.allocated() > 0);
    }

    public Row.Node node(long ino) throws IOException {
        return (Row.Node) row(Row.from('N', ino));
    }

    public int links(long ino) {
        try {
            return node(ino).row().links();
        } catch (IOException impossible) {
            throw new java.io.UncheckedIOException(impossible);
        }
    }

    /** A block that a file has bytes in, and that is an object of its own. */
    public Row.Block usedBlock() throws IOException {
        var run = pick(Row.Run.class, 'X', any -> isAlone(any.block()));
        return (Row.Block) row(Row.from('b', run.block()));
    }

    public boolean isAlone(long block) {
        try {
            return row(Row.from('l', block)) == null;
        } catch (IOException impossible) {
            throw new java.io.UncheckedIOException(impossible);
        }
    }

    public ByteBuffer object(volsh.fs.BlockRow block) throws IOException {
        var bytes = ByteBuffer.allocate((int) block.storedSize());
        store.get(BlockKey.of(block.id()), 0, bytes);
        return bytes.flip();
    }

    // ---- damaging

    public void put(Row row) throws IOException {
        put(row.entry().key(), row.entry().value());
    }

    public void put(MetaKey key, byte[] value) throws IOException {
        engine.transact(tx -> {
            tx.put(key, value);
            return null;
        });
    }

    public void delete(MetaKey key) throws IOException {
        engine.transact(tx -> {
            if (tx.get(key) == null) {
                throw new AssertionError("there is no row " + key);
            }
            tx.delete(key);
            return null;
        });
    }

    // ---- checking

    public CheckReport check(CheckOptions options) throws IOException {
        return new Check(engine, store, ID, directory, OptionalLong.empty()).run(options, Watcher.NONE);
    }

    public CheckReport repair() throws IOException {
        Repair.clearTheWay(engine);
        var sessions = new Superblock(engine, clock).sessions();
        var session = sessions.open("test", 2, "repair");
        try {
            return new Repair(engine, store, ID, directory, clock, session.id()).run(CheckOptions.QUICK, Watcher.NONE);
        } finally {
            sessions.end(session.id());
        }
    }

    /** What the tests' own check says. */
    public List<String> audit() throws IOException {
        return MetadataAudit.of(engine).withNeeded(store).problems();
    }

    public Instant now() {
        return clock.instant();
    }
}
