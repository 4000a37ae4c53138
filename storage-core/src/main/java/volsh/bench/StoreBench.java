package volsh.bench;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import volsh.block.BlockKey;
import volsh.block.BlockStore;

/**
 * What a store does for many at once: puts objects, gets them whole, gets parts of them here and there, and deletes them, each phase by all threads.
 * Bytes are those that no codec shrinks; what comes back is compared.
 */
public final class StoreBench {
    private final BlockStore store;
    private final Terms terms;
    private final int part;
    private final byte[] data;

    /** In a store of its own; {@code terms.io()} is the size of an object, {@code part} of a piece of one. */
    public StoreBench(BlockStore store, Terms terms, int part) {
        if (part < 1 || part > terms.io().bytes()) {
            throw new IllegalArgumentException("a part has 1 byte at least and fits an object of %s: %d".formatted(terms.io(), part));
        }
        this.store = store;
        this.terms = terms;
        this.part = part;
        this.data = new byte[Math.toIntExact(terms.io().bytes())];
        new Random(terms.seed()).nextBytes(data);
    }

    /** Leaves nothing behind, also when it fails or is stopped. */
    public List<Measurement> run() throws IOException {
        var rows = new ArrayList<Measurement>();
        try {
            rows.add(phase("put", data.length, (key, _) -> put(key)));
            rows.add(phase("get", data.length, (key, _) -> get(key, 0, data.length)));
            rows.add(phase("range", part, (key, random) -> get(key, random.nextInt(data.length - part + 1), part)));
            return rows;
        } finally {
            rows.add(phase("delete", 0, unstoppable(), (key, _) -> {
                store.delete(key);
                return 0;
            }));
        }
    }

    private interface Request {
        long run(BlockKey key, Random random) throws IOException;
    }

    private Measurement phase(String name, int each, Request request) throws IOException {
        return phase(name, each, terms, request);
    }

    /** Whoever is stopped still tidies up. */
    private Terms unstoppable() {
        return new Terms(terms.directory(), terms.size(), terms.io(), terms.threads(), terms.duration(), terms.direct(), terms.seed(), () -> false,
                terms.progress());
    }

    private static Measurement phase(String name, int each, Terms terms, Request request) throws IOException {
        return new Crew(terms.threads(), terms).run(name, each, member -> {
            var random = new Random(terms.seed() + member);
            return new Task.Part() {
                private long next;

                @Override
                public long once() throws IOException {
                    if (next == terms.operationsOfAThread()) {
                        return END;
                    }
                    return request.run(new BlockKey("%d-%d".formatted(member, next++)), random);
                }
            };
        });
    }

    private long put(BlockKey key) throws IOException {
        store.put(key, ByteBuffer.wrap(data));
        return data.length;
    }

    private long get(BlockKey key, int offset, int length) throws IOException {
        var target = ByteBuffer.allocate(length);
        int count = store.get(key, offset, target);
        if (count != length || !target.flip().equals(ByteBuffer.wrap(data, offset, length))) {
            throw new IOException("the store gave back other bytes than were put: " + key);
        }
        return count;
    }
}
