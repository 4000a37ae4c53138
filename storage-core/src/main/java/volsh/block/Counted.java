package volsh.block;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;
import volsh.unit.LatencyHistogram;

/** Counts the successful calls of a store, their bytes and their durations. */
public final class Counted implements Forwarding {
    private final BlockStore delegate;
    private final LongAdder gotBytes = new LongAdder();
    private final LongAdder putBytes = new LongAdder();
    private final Map<Call, LatencyHistogram> latencies = new EnumMap<>(Call.class);
    private final Map<Call, LongAdder> failures = new EnumMap<>(Call.class);

    /** The kinds of calls. */
    private enum Call {
        GET, PUT, DELETE, LIST
    }

    private interface Request<T> {
        T run() throws IOException;
    }

    public Counted(BlockStore delegate) {
        this.delegate = delegate;
        for (var call : Call.values()) {
            latencies.put(call, new LatencyHistogram());
            failures.put(call, new LongAdder());
        }
    }

    @Override
    public BlockStore delegate() {
        return delegate;
    }

    private <T> T timed(Call call, Request<T> request) throws IOException {
        long began = System.nanoTime();
        T answer;
        try {
            answer = request.run();
        } catch (IOException | RuntimeException failed) {
            failures.get(call).increment();
            throw failed;
        }
        latencies.get(call).add(System.nanoTime() - began);
        return answer;
    }

    @Override
    public int get(BlockKey key, long offset, ByteBuffer target) throws IOException {
        int got = timed(Call.GET, () -> delegate.get(key, offset, target));
        gotBytes.add(got);
        return got;
    }

    @Override
    public void put(BlockKey key, ByteBuffer data) throws IOException {
        int bytes = data.remaining();
        timed(Call.PUT, () -> {
            delegate.put(key, data);
            return null;
        });
        putBytes.add(bytes);
    }

    @Override
    public boolean putIfAbsent(BlockKey key, ByteBuffer data) throws IOException {
        int bytes = data.remaining();
        boolean done = timed(Call.PUT, () -> PutsOnce.of(delegate).putIfAbsent(key, data));
        putBytes.add(bytes);
        return done;
    }

    @Override
    public void delete(BlockKey key) throws IOException {
        timed(Call.DELETE, () -> {
            delegate.delete(key);
            return null;
        });
    }

    @Override
    public void deleteAll(List<BlockKey> keys) throws IOException {
        timed(Call.DELETE, () -> {
            delegate.deleteAll(keys);
            return null;
        });
    }

    @Override
    public Stream<Listed> list(String prefix) throws IOException {
        return timed(Call.LIST, () -> delegate.list(prefix));
    }

    /** The traffic so far. */
    public Traffic traffic() {
        var gets = latencies.get(Call.GET).summary();
        return new Traffic(gets.count(), gotBytes.sum(), latencies.get(Call.PUT).summary().count(), putBytes.sum(),
                latencies.get(Call.DELETE).summary().count() + latencies.get(Call.LIST).summary().count(), gets.total());
    }

    /** The durations of successful calls (listings: until the first entry), and how many failed. Skips unused kinds. */
    public List<Latency> latencies() {
        return Arrays.stream(Call.values())
                .map(call -> new Latency(call.name().toLowerCase(Locale.ROOT), failures.get(call).sum(), latencies.get(call).summary()))
                .filter(each -> each.took().count() + each.failed() > 0)
                .toList();
    }

    /** One kind of call. */
    public record Latency(String call, long failed, LatencyHistogram.Summary took) {}

    /**
     * Calls and bytes, from the store and to it; {@code others} are deletions and listings; {@code getNanos} is the
     * total duration of gets.
     */
    public record Traffic(long gets, long gotBytes, long puts, long putBytes, long others, long getNanos) {
        public static final Traffic NONE = new Traffic(0, 0, 0, 0, 0, 0);

        public Traffic minus(Traffic before) {
            return new Traffic(
                    gets - before.gets, gotBytes - before.gotBytes, puts - before.puts, putBytes - before.putBytes, others - before.others,
                    getNanos - before.getNanos);
        }
    }
}
