package volsh.vfs;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * All that a file may be after a crash. {@code states} are its contents from the one that is known to survive up to the
 * one programs see now. Every block-sized window of the file may come back in any of them, windows apart from each
 * other: each is committed by itself, whole, in the order it was written. A truncation may overtake bytes not yet
 * written out.
 */
final class CrashFile {
    private static final int STATES_MAX = 48;

    private final int window;
    private final Set<Integer> sizes = new HashSet<>();
    private List<byte[]> states = new ArrayList<>();
    private List<byte[]> afterFlush;
    private boolean bytewise;
    private boolean cut;

    /** A file that survives with these bytes. */
    CrashFile(int window, byte[] bytes) {
        this.window = window;
        survives(bytes);
    }

    private void survives(byte[] bytes) {
        states = new ArrayList<>(List.of(bytes));
        afterFlush = null;
        sizes.clear();
        sizes.add(bytes.length);
        bytewise = false;
        cut = false;
    }

    byte[] current() {
        return states.getLast();
    }

    private void add(byte[] state) {
        if (states.size() > STATES_MAX) {
            bytewise = true;
        }
        states.add(state);
        sizes.add(state.length);
        if (afterFlush != null) {
            afterFlush.add(state);
        }
    }

    void write(byte[] bytes, int offset) {
        byte[] next = Arrays.copyOf(current(), Math.max(current().length, offset + bytes.length));
        System.arraycopy(bytes, 0, next, offset, bytes.length);
        for (int end = (offset / window + 1) * window; end < offset + bytes.length; end += window) {
            sizes.add(end);
        }
        sizes.add(offset + bytes.length);
        add(next);
    }

    /** Truncated, perhaps before earlier writes arrive. */
    void truncate(int size) {
        cut = true;
        byte[] now = Arrays.copyOf(current(), size);
        if (!bytewise) {
            List.copyOf(states).forEach(state -> add(Arrays.copyOf(state, size)));
        }
        add(now);
    }

    void zero(int from, int to) {
        byte[] next = Arrays.copyOf(current(), current().length);
        Arrays.fill(next, Math.min(from, next.length), Math.min(to, next.length), (byte) 0);
        add(next);
    }

    /** Copied into in several steps, which need not end at windows. */
    void copyInto(byte[] bytes, int offset) {
        bytewise = true;
        cut = true;
        write(bytes, offset);
    }

    /** An operation failed half way: programs see this now. */
    void found(byte[] bytes) {
        cut = true;
        add(bytes);
    }

    /** Everything is in the metadata: with the next sync of it, this survives. */
    void flushed() {
        afterFlush = new ArrayList<>(List.of(current()));
    }

    /** The metadata was synced. */
    void synced() {
        if (afterFlush == null) {
            return;
        }
        boolean simple = afterFlush.size() == 1;
        var rest = afterFlush;
        boolean wasCut = cut;
        boolean wasBytewise = bytewise;
        var allSizes = Set.copyOf(sizes);
        survives(rest.getFirst());
        if (!simple) {
            rest.subList(1, rest.size()).forEach(this::add);
            sizes.addAll(allSizes);
            cut = wasCut;
            bytewise = wasBytewise;
        }
        afterFlush = new ArrayList<>(rest);
    }

    /** What is wrong with these bytes after a crash; null if nothing is. */
    String wrong(byte[] found) {
        boolean between = cut && found.length <= states.stream().mapToInt(state -> state.length).max().orElse(0);
        if (!sizes.contains(found.length) && !between) {
            return "size %d, allowed %s".formatted(found.length, sizes);
        }
        for (int from = 0; from < found.length; from += window) {
            if (!isAllowed(found, from)) {
                return "bytes from %d of %d are none of %d states, which have %s".formatted(from, found.length,
                        states.size(), states.stream().map(Fingerprint::of).toList());
            }
        }
        return null;
    }

    private boolean isAllowed(byte[] found, int from) {
        byte[] part = Arrays.copyOfRange(found, from, from + window);
        if (states.stream().anyMatch(state -> from < state.length
                ? Arrays.equals(part, Arrays.copyOfRange(state, from, from + window))
                : Arrays.equals(part, new byte[window]))) {
            return true;
        }
        if (!bytewise) {
            return false;
        }
        for (int i = 0; i < window; i++) {
            int at = from + i;
            byte here = part[i];
            if (here != 0 && states.stream().noneMatch(state -> at < state.length && state[at] == here)) {
                return false;
            }
        }
        return true;
    }
}
