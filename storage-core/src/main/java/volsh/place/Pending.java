package volsh.place;

import java.util.LinkedHashMap;
import java.util.Map;

/** Calls that a store has not answered yet, and since when. Thread-safe. */
final class Pending {
    private final Map<Object, Long> begun = new LinkedHashMap<>();   // the oldest first

    /** A call begins; what is returned says so when it has ended. */
    synchronized Object begin() {
        var call = new Object();
        begun.put(call, System.nanoTime());
        return call;
    }

    synchronized void end(Object call) {
        begun.remove(call);
    }

    /** For how long the oldest one has been waiting; 0 if there is none. */
    synchronized long oldestNanos() {
        return begun.isEmpty() ? 0 : Math.max(1, System.nanoTime() - begun.values().iterator().next());
    }
}
