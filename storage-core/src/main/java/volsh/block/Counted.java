package volsh.block;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import volsh.unit.LatencyHistogram;

/** Counts what goes to a store and comes from it, as far as calls succeed, and how long these take. */
public final class Counted implements Forwarding {
    private final BlockStore delegate;
    private final LongAdder gotBytes = new LongAdder();
    private final LongAdder putBytes = new LongAdder();
    private final Calls gets = new Calls("get");
    private final Calls puts = new Calls("put");
    private final Calls deletes = new Calls("delete");
    private final Calls listings = new Calls("list");

    /** What a store is asked for: how long it took where it succeeded, and how often it failed. */
    private record Calls(String name, LatencyHistogram took, LongAdder failed) {
        Calls(String name) {
            this(name, new LatencyHistogram(), new LongAdder());
        }
    }

    private interface Request<T extends @Nullable Object> {
        T run() throws IOException;
    }

    public Counted(BlockStore delegate) {
        this.delegate = delegate;
    }

    @Override
    public BlockStore delegate() {
        return delegate;
    }

    private <T extends @Nullable Object> T timed(Calls calls, Request<T> request) throws IOException {
        long began = System.nanoTime();
        T answer;
        try {
            answer = request.run();
        } catch (IOException | RuntimeException failed) {
            calls.failed().increment();
            throw failed;
        }
        calls.took().add(System.nanoTime() - began);
        return answer;
    }

    @Override
    public int get(BlockKey key, long offset, ByteBuffer target) throws IOException {
        int got = timed(gets, () -> delegate.get(key, offset, target));
        gotBytes.add(got);
        return got;
    }

    @Override
    public void put(BlockKey key, ByteBuffer data) throws IOException {
        int bytes = data.remaining();
        timed(puts, () -> {
            delegate.put(key, data);
            return null;
        });
        putBytes.add(bytes);
    }

    @Override
    public boolean putIfAbsent(BlockKey key, ByteBuffer data) throws IOException {
        int bytes = data.remaining();
        boolean done = timed(puts, () -> PutsOnce.of(delegate).putIfAbsent(key, data));
        putBytes.add(bytes);
        return done;
    }

    @Override
    public void delete(BlockKey key) throws IOException {
        timed(deletes, () -> {
            delegate.delete(key);
            return null;
        });
    }

    @Override
    public void deleteAll(List<BlockKey> keys) throws IOException {
        timed(deletes, () -> {
            delegate.deleteAll(keys);
            return null;
        });
    }

    @Override
    public Stream<Listed> list(String prefix) throws IOException {
        return timed(listings, () -> delegate.list(prefix));
    }

    /** What has gone through so far. */
    public Traffic traffic() {
        var got = gets.took().summary();
        return new Traffic(got.count(), gotBytes.sum(), puts.took().summary().count(), putBytes.sum(),
                deletes.took().summary().count() + listings.took().summary().count(), got.total());
    }

    /**
     * How long calls took that succeeded, and how many failed; of listings until the first of them is there. Those
     * never asked for are left out.
     */
    public List<Latency> latencies() {
        return Stream.of(gets, puts, deletes, listings)
                .map(calls -> new Latency(calls.name(), calls.failed().sum(), calls.took().summary()))
                .filter(each -> each.took().count() + each.failed() > 0)
                .toList();
    }

    /** One kind of call. */
    public record Latency(String call, long failed, LatencyHistogram.Summary took) {}

    /**
     * Calls and bytes, from the store and to it; {@code others} are deletions and listings; what all gets took, added
     * up.
     */
    public record Traffic(long gets, long gotBytes, long puts, long putBytes, long others, long getNanos) {
        public static final Traffic NONE = new Traffic(0, 0, 0, 0, 0, 0);

        public Traffic minus(Traffic before) {
            return new Traffic(
                    gets - before.gets, gotBytes - before.gotBytes, puts - before.puts, putBytes - before.putBytes,
                    others - before.others, getNanos - before.getNanos);
        }
    }
}
