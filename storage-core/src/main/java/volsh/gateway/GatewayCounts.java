package volsh.gateway;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** What a gateway has done since it started. */
public final class GatewayCounts {
    private final Map<String, LongAdder> calls = new ConcurrentHashMap<>();
    private final Map<String, LongAdder> refusals = new ConcurrentHashMap<>();
    private final LongAdder sentBytes = new LongAdder();
    private final LongAdder receivedBytes = new LongAdder();
    private final AtomicInteger active = new AtomicInteger();
    private volatile Optional<Failure> last = Optional.empty();

    /** A request that failed for a reason of the gateway or its volumes, not of its client. */
    public record Failure(String message, Instant time) {}

    void called(String call) {
        calls.computeIfAbsent(call, _ -> new LongAdder()).increment();
    }

    void refused(String code) {
        refusals.computeIfAbsent(code, _ -> new LongAdder()).increment();
    }

    void sent(long bytes) {
        sentBytes.add(bytes);
    }

    void received(long bytes) {
        receivedBytes.add(bytes);
    }

    void failed(String message, Instant time) {
        last = Optional.of(new Failure(message, time));
    }

    void expired(int uploads) {
        if (uploads > 0) {
            calls.computeIfAbsent("(expired uploads)", _ -> new LongAdder()).add(uploads);
        }
    }

    /** The last failure that was no refusal. */
    public Optional<Failure> lastFailure() {
        return last;
    }

    int began() {
        return active.incrementAndGet();
    }

    void ended() {
        active.decrementAndGet();
    }

    public int active() {
        return active.get();
    }

    public long sentBytes() {
        return sentBytes.sum();
    }

    public long receivedBytes() {
        return receivedBytes.sum();
    }

    /** How often each call was answered. */
    public Map<String, Long> calls() {
        return sums(calls);
    }

    /** How often a request was refused, by the code that its client got. */
    public Map<String, Long> refusals() {
        return sums(refusals);
    }

    private static Map<String, Long> sums(Map<String, LongAdder> adders) {
        var sums = new TreeMap<String, Long>();
        adders.forEach((name, adder) -> sums.put(name, adder.sum()));
        return sums;
    }
}
