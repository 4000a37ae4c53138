package volsh.place;

import java.util.LinkedHashMap;
import java.util.Map;

/** Calls that a store has not answered yet, with their start times. Thread-safe. */
final class Pending {
    private final Map<Object, Long> begun = new LinkedHashMap<>();   // the oldest first

    /** Registers a call; the result is its handle for when it ends. */
    synchronized Object begin() {
        var call = new Object();
        begun.put(call, System.nanoTime());
        return call;
    }

    synchronized void end(Object call) {
        begun.remove(call);
    }

    /** How long the oldest call has been pending; 0 if there is none. */
    synchronized long oldestNanos() {
        return begun.isEmpty() ? 0 : Math.max(1, System.nanoTime() - begun.values().iterator().next());
    }
}
