package volsh.meta;

import java.io.IOException;
import volsh.engine.memory.Interleaving;

/** Does something, once, between the reads of the next transaction and its commit. */
public final class Intrusion implements Interleaving {
    /** What comes in between. */
    public interface Act {
        void run() throws IOException;
    }

    private Act next;
    private int done;

    /** The next transaction that ends finds this done before it commits. */
    public void before(Act act) {
        next = act;
    }

    /** How often something came in between. */
    public int done() {
        return done;
    }

    @Override
    public boolean intrude(int attempt) throws IOException {
        var act = next;
        next = null;
        if (act != null) {
            done++;
            act.run();
        }
        return false;
    }
}
