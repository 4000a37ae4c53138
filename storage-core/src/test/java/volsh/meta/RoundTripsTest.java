package volsh.meta;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import volsh.engine.Delta;
import volsh.engine.MetaEngine;
import volsh.engine.MetaKey;
import volsh.engine.memory.MemoryMetaEngine;
import volsh.fs.AttributeChange;
import volsh.fs.FileKind;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.fs.Patch;
import volsh.fs.RenameMode;
import volsh.inventory.Superblock;
import volsh.vfs.ManualClock;

/**
 * How often an operation asks a database that is far away, besides its commit: what is asked together is asked once.
 */
@Tag("data")
final class RoundTripsTest {
    private final ManualClock clock = new ManualClock();
    private final MemoryMetaEngine engine = new MemoryMetaEngine();
    private Namespace names;
    private int trips;

    /**
     * Counts as {@link volsh.engine.postgres} asks: a row once, several rows in one question, each range in its own.
     */
    private final class Counted implements MetaEngine {
        @Override
        public <R> R transact(Work<R> work) throws IOException {
            return engine.transact(tx -> work.run(counted(tx)));
        }

        @Override
        public <R> R read(Work<R> work) throws IOException {
            return engine.read(tx -> work.run(counted(tx)));
        }

        private Transaction counted(Transaction tx) {
            Set<MetaKey> known = new HashSet<>();
            return new Transaction() {
                @Override
                public int room() {
                    return tx.room();
                }

                @Override
                public byte[] get(MetaKey key) throws IOException {
                    trips += known.add(key) ? 1 : 0;
                    return tx.get(key);
                }

                @Override
                public Map<MetaKey, byte[]> getAll(Collection<MetaKey> keys) throws IOException {
                    trips += known.addAll(keys) ? 1 : 0;
                    return tx.getAll(keys);
                }

                @Override
                public void expect(Collection<MetaKey> keys, MetaEngine.Leads leads) throws IOException {
                    boolean asks = known.addAll(keys);
                    for (var from : leads.from()) {
                        asks |= known.add(from);
                        byte[] value = tx.get(from);
                        asks |= value != null && leads.to(value).map(known::add).orElse(false);
                    }
                    trips += asks ? 1 : 0;
                }

                @Override
                public List<Entry> scan(MetaKey from, MetaKey to, int limit) throws IOException {
                    trips++;
                    return tx.scan(from, to, limit);
                }

                @Override
                public void put(MetaKey key, byte[] value) throws IOException {
                    known.add(key);
                    tx.put(key, value);
                }

                @Override
                public void delete(MetaKey key) throws IOException {
                    known.add(key);
                    tx.delete(key);
                }

                @Override
                public void hold(MetaKey key) throws IOException {
                    tx.hold(key);
                }

                @Override
                public void add(MetaKey key, Delta delta) throws IOException {
                    tx.add(key, delta);
                }
            };
        }

        @Override
        public void sync() throws IOException {
            engine.sync();
        }

        @Override
        public void close() {}
    }

    private interface Operation {
        void run() throws IOException;
    }

    private int trips(Operation operation) throws IOException {
        trips = 0;
        operation.run();
        return trips;
    }

    @BeforeEach
    void format() throws IOException {
        var superblock = new Superblock(engine, clock);
        superblock.format(Owner.ROOT, 0755, "made", new byte[0]);
        names = new Namespace(new Counted(), clock, superblock.sessions().open("test", 1, "test").id());
        file("warm");   // takes a range of inode numbers
    }

    private long file(String name) throws IOException {
        return names.makeNode(1, Name.of(name), FileKind.REGULAR, 0644, Owner.ROOT, 0).ino();
    }

    @Test
    void operationsAskForWhatTheyKnowTogether() throws IOException {
        long[] ino = new long[1];
        assertThat(trips(() -> ino[0] = file("f"))).as("create").isEqualTo(1);
        assertThat(trips(() -> names.makeDirectory(1, Name.of("d"), 0755, Owner.ROOT))).as("mkdir").isEqualTo(1);
        assertThat(trips(() -> names.lookup(1, Name.of("f")))).as("lookup").isEqualTo(1);
        assertThat(trips(() -> names.lookup(1, Name.of("d")))).as("lookup of a directory").isEqualTo(2);
        long directory = names.lookup(1, Name.of("d")).ino();
        long below = names.makeDirectory(directory, Name.of("e"), 0755, Owner.ROOT).ino();
        names.makeNode(below, Name.of("f"), FileKind.REGULAR, 0644, Owner.ROOT, 0);
        var ways = List.of(new Way(1, Name.of("d"), directory), new Way(directory, Name.of("e"), below));
        assertThat(trips(() -> names.lookup(below, Name.of("f"), ways))).as("lookup and the way there").isEqualTo(1);
        names.unlink(below, Name.of("f"));
        names.removeDirectory(directory, Name.of("e"));
        assertThat(trips(() -> names.attributes(ino[0]))).as("stat").isEqualTo(1);
        assertThat(trips(() ->
                names.files().patchInline(ino[0], List.of(new Patch(0, new byte[] {1})), 1, OptionalLong.of(1), 4096)))
                .as("writing a small file").isEqualTo(1);
        assertThat(trips(() -> names.change(ino[0], AttributeChange.NONE.withMode(0600)))).as("chmod").isEqualTo(1);
        assertThat(trips(() -> names.rename(1, Name.of("f"), 1, Name.of("g"), RenameMode.REPLACE))).as("rename")
                .isEqualTo(1);
        assertThat(trips(() -> names.unlink(1, Name.of("g")))).as("unlink").isEqualTo(1);
        assertThat(trips(() -> names.locks().lock(7, new volsh.fs.Lock(volsh.fs.Lock.Kind.WHOLE, true, 0, 9, 1, 1))))
                .as("lock").isEqualTo(1);
        assertThat(trips(() -> names.removeDirectory(1, Name.of("d")))).as("rmdir").isLessThanOrEqualTo(6);
    }

    @Test
    void theAttributesOfManyFilesComeTogether() throws IOException {
        var inos = new ArrayList<Long>();
        for (int i = 0; i < 50; i++) {
            inos.add(file("f" + i));
            inos.add(names.makeDirectory(1, Name.of("d" + i), 0755, Owner.ROOT).ino());
        }
        names.makeDirectory(inos.getLast(), Name.of("below"), 0755, Owner.ROOT);
        assertThat(trips(() -> assertThat(names.attributes(inos)).hasSize(100)
                .last().satisfies(last -> assertThat(last.links()).isEqualTo(3)))).isEqualTo(2);
        assertThat(names.attributes(inos).getLast()).isEqualTo(names.attributes(inos.getLast()));
    }
}
