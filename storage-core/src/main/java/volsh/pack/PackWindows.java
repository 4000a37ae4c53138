package volsh.pack;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import volsh.block.BlockKey;
import volsh.block.BlockStore;

/**
 * Reads packs. Small files that were written one after the other lie one behind the other, and are often read so: a
 * reader that goes through a pack from front to back, by several threads perhaps, gets what follows with the same
 * request. Others get what they ask for. Keeps a few megabytes. Thread-safe.
 */
public final class PackWindows {
    static final String PREFIX = "packs/";
    private static final int LENGTH = 2 << 20;
    private static final int WINDOWS = 4;
    /** Reads that may overtake each other leave and close gaps of this size. */
    private static final int GAP_MAX = 1 << 20;
    private static final int STREAK_MIN = 3;
    private static final int PACKS = 32;

    private final BlockStore store;
    private final Deque<Window> windows = new ArrayDeque<>();
    private final Map<Long, Trace> traces = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, Trace> eldest) {
            return size() > PACKS;
        }
    };

    PackWindows(BlockStore store) {
        this.store = store;
    }

    /** How far a pack was read, and how many reads went on where others were. */
    private record Trace(long end, int streak) {
        Trace with(long offset, int length) {
            boolean near = Math.abs(offset - end) <= GAP_MAX;
            return new Trace(near ? Math.max(end, offset + length) : offset + length,
                    near && offset >= end - GAP_MAX / 2 ? streak + 1 : 1);
        }
    }

    /** {@code given}: where reads began that were served from it. */
    private record Window(long pack, long from, FutureTask<ByteBuffer> bytes, Set<Long> given) {
        boolean covers(long wanted, long offset, int length) {
            return pack == wanted && from <= offset && offset + length <= from + LENGTH;
        }
    }

    /**
     * As {@link BlockStore#get}, of a pack. The store is asked for what a window has given before: it may have come
     * damaged, and is read a second time for that.
     */
    int get(long pack, long offset, ByteBuffer target) throws IOException {
        var window = window(pack, offset, target.remaining());
        if (window.isEmpty()) {
            return store.get(key(pack), offset, target);
        }
        if (!window.get().given().add(offset)) {
            forget(window.get());
            return store.get(key(pack), offset, target);
        }
        window.get().bytes().run();   // unless another thread does
        int start = target.position();
        try {
            return copy(window.get(), offset, target);
        } catch (ExecutionException failed) {
            forget(window.get());
            return store.get(key(pack), offset, target.position(start));
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while reading");
        }
    }

    private static int copy(Window window, long offset, ByteBuffer target)
            throws ExecutionException, InterruptedException {
        var bytes = window.bytes().get();
        int at = Math.toIntExact(offset - window.from());
        int count = Math.clamp(bytes.limit() - at, 0, target.remaining());
        target.put(bytes.slice(Math.min(at, bytes.limit()), count));
        return count;
    }

    /** A window that has these bytes, or will; a new one for a reader that goes on. */
    private synchronized Optional<Window> window(long pack, long offset, int length) {
        for (var each : windows) {
            if (each.covers(pack, offset, length)) {
                traces.computeIfPresent(pack, (same, trace) -> trace.with(offset, length));
                return Optional.of(each);
            }
        }
        var trace = traces.merge(pack, new Trace(offset + length, 1), (before, first) -> before.with(offset, length));
        if (trace.streak() < STREAK_MIN || length > LENGTH / 2) {
            return Optional.empty();
        }
        var made = new Window(pack, offset, new FutureTask<>(() -> load(pack, offset)), ConcurrentHashMap.newKeySet());
        windows.addFirst(made);
        if (windows.size() > WINDOWS) {
            windows.removeLast();
        }
        return Optional.of(made);
    }

    private ByteBuffer load(long pack, long from) throws IOException {
        var bytes = ByteBuffer.allocate(LENGTH);
        store.get(key(pack), from, bytes);
        return bytes.flip();
    }

    private synchronized void forget(Window failed) {
        windows.remove(failed);
    }

    public static BlockKey key(long pack) {
        return new BlockKey(PREFIX + "%02x/%016x".formatted(pack & 0xff, pack));
    }

    /** The number of the pack that has this key; empty if it is something else. */
    static OptionalLong number(BlockKey key) {
        var name = key.text().substring(key.text().lastIndexOf('/') + 1);
        return name.matches("[0-9a-f]{16}") && key.text().startsWith(PREFIX)
                ? OptionalLong.of(HexFormat.fromHexDigitsToLong(name)) : OptionalLong.empty();
    }
}
