package volsh.ship;

import java.io.IOException;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import volsh.engine.Delta;
import volsh.engine.HeldKeyMissingException;
import volsh.engine.MetaEngine;
import volsh.engine.MetaKey;

/**
 * Keeps all keys apart from the change log's, behind a byte of their own, so that tests may use any key and scan all.
 */
record Apart(MetaEngine engine) implements MetaEngine {
    private static final byte KIND = 'k';

    @Override
    public <R> R transact(Work<R> work) throws IOException {
        try {
            return engine.transact(tx -> work.run(new Inside(tx)));
        } catch (HeldKeyMissingException missing) {
            throw missing.key().bytes()[0] == KIND ? new HeldKeyMissingException(outside(missing.key())) : missing;
        }
    }

    @Override
    public <R> R read(Work<R> work) throws IOException {
        return engine.read(tx -> work.run(new Inside(tx)));
    }

    @Override
    public void sync() throws IOException {
        engine.sync();
    }

    @Override
    public void close() throws IOException {
        engine.close();
    }

    private static MetaKey inside(MetaKey key) {
        byte[] bytes = new byte[key.bytes().length + 1];
        bytes[0] = KIND;
        System.arraycopy(key.bytes(), 0, bytes, 1, key.bytes().length);
        return MetaKey.of(bytes);
    }

    private static MetaKey outside(MetaKey key) {
        return MetaKey.of(Arrays.copyOfRange(key.bytes(), 1, key.bytes().length));
    }

    private record Inside(Transaction tx) implements Transaction {
        @Override
        public int room() {
            return tx.room();
        }

        @Override
        public byte[] get(MetaKey key) throws IOException {
            return tx.get(inside(key));
        }

        @Override
        public Map<MetaKey, byte[]> getAll(Collection<MetaKey> keys) throws IOException {
            var found = new HashMap<MetaKey, byte[]>();
            tx.getAll(keys.stream().map(Apart::inside).toList())
                    .forEach((key, value) -> found.put(outside(key), value));
            return found;
        }

        @Override
        public List<Entry> scan(MetaKey from, MetaKey to, int limit) throws IOException {
            return tx.scan(inside(from), inside(to), limit).stream()
                    .map(row -> new Entry(outside(row.key()), row.value())).toList();
        }

        @Override
        public void put(MetaKey key, byte[] value) throws IOException {
            tx.put(inside(key), value);
        }

        @Override
        public void delete(MetaKey key) throws IOException {
            tx.delete(inside(key));
        }

        @Override
        public void hold(MetaKey key) throws IOException {
            tx.hold(inside(key));
        }

        @Override
        public void add(MetaKey key, Delta delta) throws IOException {
            tx.add(inside(key), delta);
        }
    }
}
