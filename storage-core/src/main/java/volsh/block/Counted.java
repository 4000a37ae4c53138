package volsh.block;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;

/** Counts what goes to a store and comes from it, as far as calls succeed. */
public final class Counted implements Forwarding {
    private final BlockStore delegate;
    private final LongAdder gets = new LongAdder();
    private final LongAdder gotBytes = new LongAdder();
    private final LongAdder getNanos = new LongAdder();
    private final LongAdder puts = new LongAdder();
    private final LongAdder putBytes = new LongAdder();
    private final LongAdder others = new LongAdder();

    public Counted(BlockStore delegate) {
        this.delegate = delegate;
    }

    @Override
    public BlockStore delegate() {
        return delegate;
    }

    @Override
    public int get(BlockKey key, long offset, ByteBuffer target) throws IOException {
        long began = System.nanoTime();
        int got = delegate.get(key, offset, target);
        getNanos.add(System.nanoTime() - began);
        gets.increment();
        gotBytes.add(got);
        return got;
    }

    @Override
    public void put(BlockKey key, ByteBuffer data) throws IOException {
        int bytes = data.remaining();
        delegate.put(key, data);
        puts.increment();
        putBytes.add(bytes);
    }

    @Override
    public boolean putIfAbsent(BlockKey key, ByteBuffer data) throws IOException {
        int bytes = data.remaining();
        boolean done = PutsOnce.of(delegate).putIfAbsent(key, data);
        puts.increment();
        putBytes.add(bytes);
        return done;
    }

    @Override
    public void delete(BlockKey key) throws IOException {
        delegate.delete(key);
        others.increment();
    }

    @Override
    public void deleteAll(List<BlockKey> keys) throws IOException {
        delegate.deleteAll(keys);
        others.increment();
    }

    @Override
    public Stream<Listed> list(String prefix) throws IOException {
        var listed = delegate.list(prefix);
        others.increment();
        return listed;
    }

    /** What has gone through so far. */
    public Traffic traffic() {
        return new Traffic(gets.sum(), gotBytes.sum(), puts.sum(), putBytes.sum(), others.sum(), getNanos.sum());
    }

    /** Calls and bytes, from the store and to it; {@code others} are deletions and listings; what all gets took, added up. */
    public record Traffic(long gets, long gotBytes, long puts, long putBytes, long others, long getNanos) {
        public static final Traffic NONE = new Traffic(0, 0, 0, 0, 0, 0);

        public Traffic minus(Traffic before) {
            return new Traffic(
                    gets - before.gets, gotBytes - before.gotBytes, puts - before.puts, putBytes - before.putBytes, others - before.others,
                    getNanos - before.getNanos);
        }
    }
}
