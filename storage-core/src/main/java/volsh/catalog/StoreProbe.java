package volsh.catalog;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import volsh.block.BlockKey;
import volsh.block.BlockStore;
import volsh.block.MissingStoreException;
import volsh.block.RefusedException;
import volsh.block.UnavailableException;
import volsh.catalog.Refusal.Reason;
import volsh.unit.ByteSize;
import volsh.unit.Rate;
import volsh.unit.Span;

/**
 * A short trial of a store: puts objects, reads them whole and in part, lists and deletes them, one after the other,
 * and compares every byte. So the times are those of single requests, not of many at once. No request is retried, and
 * one that takes longer than {@code timeout} ends the probe.
 */
public record StoreProbe(ByteSize size, int count, Duration timeout) {
    /** The longest time of a request. */
    public static final String TIMEOUT = "10s";

    private static final int RANGE_BYTES = 4096;
    private static final long SIZE_MAX = 64 * ByteSize.MIB;
    private static final int COUNT_MAX = 1000;
    /** What the prefix of a probe's objects begins with. */
    public static final String PREFIX = "probe-";
    private static final Pattern OBJECT = Pattern.compile(PREFIX + "[0-9a-f]{8}/object-[0-9]+");
    /** No probe takes longer: it was killed. */
    private static final Duration LONGEST = Duration.ofHours(24);

    public StoreProbe(ByteSize size, int count) {
        this(size, count, Span.of(TIMEOUT).duration());
    }

    public StoreProbe {
        if (!timeout.isPositive()) {
            throw new IllegalArgumentException("the time-out of a probe must be more than 0s");
        }
        if (size.bytes() < 1 || size.bytes() > SIZE_MAX) {
            throw new IllegalArgumentException("probe objects are 1B to 64MiB: " + size);
        }
        if (count < 1 || count > COUNT_MAX) {
            throw new IllegalArgumentException("1 to 1000 probe objects: " + count);
        }
    }

    /**
     * One kind of request.
     *
     * @param latency the median of the requests
     * @param worst   the slowest of them
     * @param rate    bytes over time, for requests that move some
     */
    public record Step(String operation, int requests, ByteSize size, Duration latency, Duration worst,
            Optional<Rate> rate) {}

    private interface Request {
        void run(BlockKey key) throws IOException;
    }

    public List<Step> run(String name, BlockStore store) throws IOException {
        var steps = new ArrayList<Step>();
        byte[] data = new byte[(int) size.bytes()];
        new Random(size.bytes()).nextBytes(data);
        int range = Math.min(RANGE_BYTES, data.length);
        int middle = (data.length - range) / 2;
        var requests = new TimedRequests(timeout);
        try (requests) {
            steps.add(time(requests, name, "put", data.length, key -> store.put(key, ByteBuffer.wrap(data))));
            steps.add(time(requests, name, "get", data.length, key -> compare(name, store, key, data, 0, data.length)));
            steps.add(time(requests, name, "range", range, key -> compare(name, store, key, data, middle, range)));
            steps.add(time(requests, name, "list", 0, key -> requireListed(name, store, key)));
            steps.add(time(requests, name, "delete", 0, store::delete));
            return steps;
        } catch (IOException | RuntimeException failed) {
            // which would not answer now either
            if (!(failed instanceof MissingStoreException || failed.getCause() instanceof UnavailableException
                    || requests.isSilent())) {
                clean(store, failed);
            }
            throw failed;
        }
    }

    private Step time(TimedRequests requests, String name, String operation, int bytes, Request request)
            throws IOException {
        var nanos = new long[count];
        for (int i = 0; i < count; i++) {
            var key = key(i);
            try {
                nanos[i] = requests.run(() -> request.run(key));
            } catch (TimeoutException silent) {
                throw new Refusal(Reason.UNAVAILABLE, "store '%s' did not answer a request to %s within %s".formatted(
                        name, words(operation), new Span(timeout)), "volsh store show " + name);
            } catch (Refusal | MissingStoreException told) {
                throw told;
            } catch (IOException | UncheckedIOException failed) {
                throw new Refusal(reason(failed), "store '%s' failed to %s".formatted(name, words(operation)),
                        failed,
                        "volsh store show " + name);
            }
        }
        long total = Arrays.stream(nanos).sum();
        Arrays.sort(nanos);
        Optional<Rate> rate = bytes == 0 ? Optional.empty()
                : Optional.of(new Rate(Math.max(1, (long) (1e9 * bytes * count / total))));
        return new Step(operation, count, new ByteSize(bytes), Duration.ofNanos(nanos[count / 2]),
                Duration.ofNanos(nanos[count - 1]), rate);
    }

    private static Reason reason(Exception failed) {
        Throwable told = failed instanceof UncheckedIOException wrapped ? wrapped.getCause() : failed;
        return !(told instanceof RefusedException refused) ? Reason.UNAVAILABLE : switch (refused.reason()) {
            case DENIED -> Reason.FORBIDDEN;
            case NO_SUCH_PLACE -> Reason.NOT_FOUND;
            case WRONG_SETTINGS -> Reason.INVALID;
        };
    }

    private static String words(String operation) {
        return operation.equals("range") ? "get a range" : operation;
    }

    private static BlockKey key(int number) {
        return new BlockKey("object-" + number);
    }

    private static void compare(String name, BlockStore store, BlockKey key, byte[] data, int offset, int length)
            throws IOException {
        var target = ByteBuffer.allocate(length);
        int count = store.get(key, offset, target);
        if (count != length || !Arrays.equals(target.array(), 0, length, data, offset, offset + length)) {
            throw new Refusal(Reason.DAMAGED, "store '%s' gave back other bytes than were put".formatted(name))
                    .detail("do not trust it with data until this is understood");
        }
    }

    private static void requireListed(String name, BlockStore store, BlockKey key) throws IOException {
        try (var listed = store.list(key.text())) {
            if (listed.noneMatch(found -> found.key().equals(key))) {
                throw new Refusal(Reason.DAMAGED, "store '%s' does not list an object that was put".formatted(name));
            }
        }
    }

    /**
     * Removes what killed probes left in the whole store; returns their prefixes. Objects that cannot be removed are
     * ignored.
     */
    public static Set<String> removeLeft(BlockStore whole, Instant now) {
        try (var listed = whole.list(PREFIX)) {
            var left = listed.filter(object ->
                    OBJECT.matcher(object.key().text()).matches() && object.modified().isBefore(now.minus(LONGEST)))
                    .map(BlockStore.Listed::key).toList();
            whole.deleteAll(left);
            return left.stream().map(key -> key.text().substring(0, key.text().indexOf('/')))
                    .collect(Collectors.toSet());
        } catch (IOException | UncheckedIOException unremovable) {
            return Set.of();
        }
    }

    private void clean(BlockStore store, Exception failed) {
        for (int i = 0; i < count; i++) {
            try {
                store.delete(key(i));
            } catch (IOException | RuntimeException left) {
                failed.addSuppressed(left);
                return;
            }
        }
    }
}
