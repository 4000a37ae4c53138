package volsh.ship;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import volsh.engine.Delta;
import volsh.engine.MetaEngine.Transaction;
import volsh.engine.MetaKey;

/** The writes of one transaction: every row once, unordered. {@code time} is when it was about to commit. */
record WriteSet(Instant time, List<Write> writes) {
    private static final byte PUT = 1;
    private static final byte DELETE = 2;
    private static final byte ADD = 3;

    WriteSet {
        writes = List.copyOf(writes);
    }

    /** One row written. */
    sealed interface Write {
        MetaKey key();

        void applyTo(Transaction tx) throws IOException;

        record Put(MetaKey key, byte[] value) implements Write {
            @Override
            public void applyTo(Transaction tx) throws IOException {
                tx.put(key, value);
            }
        }

        record Delete(MetaKey key) implements Write {
            @Override
            public void applyTo(Transaction tx) throws IOException {
                tx.delete(key);
            }
        }

        record Add(MetaKey key, Delta delta) implements Write {
            @Override
            public void applyTo(Transaction tx) throws IOException {
                tx.add(key, delta);
            }
        }
    }

    byte[] toBytes() {
        var out = new Bytes();
        out.number(time.toEpochMilli());
        out.number(writes.size());
        for (var write : writes) {
            switch (write) {
                case Write.Put(var key, var value) -> out.one(PUT).text(key.bytes()).text(value);
                case Write.Delete(var key) -> out.one(DELETE).text(key.bytes());
                case Write.Add(var key, var delta) -> out.one(ADD).text(key.bytes()).text(delta.row());
            }
        }
        return out.toBytes();
    }

    /** When the write set that begins here was about to commit. */
    static Instant time(byte[] bytes, int at) {
        return Instant.ofEpochMilli(Bytes.number(ByteBuffer.wrap(bytes).position(at)));
    }

    /** @throws IOException if this is not a valid write set */
    static WriteSet parse(byte[] bytes) throws IOException {
        var in = ByteBuffer.wrap(bytes);
        try {
            var time = Instant.ofEpochMilli(Bytes.number(in));
            long count = Bytes.number(in);
            var writes = new ArrayList<Write>();
            for (; count > 0; count--) {
                writes.add(write(in));
            }
            if (in.hasRemaining()) {
                throw new IllegalArgumentException(in.remaining() + " excess bytes");
            }
            return new WriteSet(time, writes);
        } catch (RuntimeException nonsense) {
            throw new IOException("metadata corrupt: invalid write set: " + nonsense.getMessage(), nonsense);
        }
    }

    private static Write write(ByteBuffer in) {
        byte kind = in.get();
        var key = MetaKey.of(Bytes.text(in));
        return switch (kind) {
            case PUT -> new Write.Put(key, Bytes.text(in));
            case DELETE -> new Write.Delete(key);
            case ADD -> new Write.Add(key, Delta.parse(Bytes.text(in)));
            default -> throw new IllegalArgumentException("unknown kind of write: " + kind);
        };
    }
}
