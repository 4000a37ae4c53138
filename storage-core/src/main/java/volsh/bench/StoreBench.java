package volsh.bench;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import volsh.block.BlockKey;
import volsh.block.BlockStore;

/**
 * Measures a store under concurrent load: puts objects, gets them whole, gets parts of them at random, and deletes
 * them, each phase by all threads. The bytes are incompressible; what comes back is compared.
 */
public final class StoreBench {
    private final BlockStore store;
    private final Terms terms;
    private final int part;
    private final ByteBuffer data;
    /** One of each thread, for all phases. */
    private final List<ByteBuffer> targets = new ArrayList<>();

    /** In a store of its own; {@code terms.io()} is the size of an object, {@code part} of a range of one. */
    public StoreBench(BlockStore store, Terms terms, int part) {
        if (part < 1 || part > terms.io().bytes()) {
            throw new IllegalArgumentException("a part must have at least 1 byte and fit an object of %s: %d"
                    .formatted(terms.io(), part));
        }
        this.store = store;
        this.terms = terms;
        this.part = part;
        this.data = buffer();
        byte[] bytes = new byte[data.limit()];
        new Random(terms.seed()).nextBytes(bytes);
        data.put(0, bytes);
        for (int member = 0; member < terms.threads(); member++) {
            targets.add(buffer());
        }
    }

    /** Leaves nothing behind, also after a failure or cancellation. */
    public List<Measurement> run() throws IOException {
        var rows = new ArrayList<Measurement>();
        try {
            rows.add(phase("put", data.limit(), (key, _, _) -> put(key)));
            rows.add(phase("get", data.limit(), (key, _, target) -> get(key, 0, target.clear().limit(data.limit()))));
            rows.add(phase("range", part, (key, random, target) ->
                    get(key, random.nextInt(data.limit() - part + 1), target.clear().limit(part))));
            return rows;
        } finally {
            rows.add(phase("delete", 0, unstoppable(), (key, _, _) -> {
                store.delete(key);
                return 0;
            }));
        }
    }

    private interface Request {
        long run(BlockKey key, Random random, ByteBuffer target) throws IOException;
    }

    private Measurement phase(String name, int each, Request request) throws IOException {
        return phase(name, each, terms, request);
    }

    /** A cancelled run still cleans up. */
    private Terms unstoppable() {
        return new Terms(terms.directory(), terms.size(), terms.io(), terms.threads(), terms.duration(), terms.direct(),
                terms.seed(), terms.pace(), () -> false, terms.progress());
    }

    private Measurement phase(String name, int each, Terms terms, Request request) throws IOException {
        return new Crew(terms.threads(), terms).run(name, each, member -> {
            var random = new Random(terms.seed() + member);
            var target = targets.get(member);
            return new Task.Part() {
                private long next;

                @Override
                public long once() throws IOException {
                    if (next == terms.operationsOfAThread()) {
                        return END;
                    }
                    return request.run(new BlockKey("%d-%d".formatted(member, next++)), random, target);
                }
            };
        });
    }

    /** A buffer of an object's size, off-heap and aligned, so that a store can pass it to the kernel as it is. */
    private ByteBuffer buffer() {
        int length = Math.toIntExact(terms.io().bytes());
        return ByteBuffer.allocateDirect(length + Terms.ALIGNMENT).alignedSlice(Terms.ALIGNMENT).limit(length).slice();
    }

    private long put(BlockKey key) throws IOException {
        store.put(key, data.duplicate());
        return data.limit();
    }

    private long get(BlockKey key, int offset, ByteBuffer target) throws IOException {
        int length = target.limit();
        int count = store.get(key, offset, target);
        if (count != length || !target.flip().equals(data.slice(offset, length))) {
            throw new IOException("the store returned different bytes than were stored: " + key);
        }
        return count;
    }
}
