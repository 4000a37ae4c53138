package volsh.vfs;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import volsh.block.BlockKey;
import volsh.block.BlockStore;
import volsh.block.Forwarding;

/**
 * A store in the middle of whose calls something happens: once for each that was asked for, in place of nothing. Counts
 * its gets.
 */
record Interrupting(BlockStore delegate, AtomicReference<Act> inPut, AtomicReference<Act> inGet, AtomicInteger done,
        AtomicInteger gets) implements Forwarding {
    /** What happens; if it throws, the call fails with nothing done. */
    interface Act {
        void run() throws IOException;
    }

    Interrupting(BlockStore delegate) {
        this(delegate, new AtomicReference<>(), new AtomicReference<>(), new AtomicInteger(), new AtomicInteger());
    }

    /** The next put meets this before it stores anything. */
    void onPut(Act act) {
        inPut.set(act);
    }

    /** The next get meets this before it reads anything. */
    void onGet(Act act) {
        inGet.set(act);
    }

    private void meet(AtomicReference<Act> next) throws IOException {
        var act = next.getAndSet(null);
        if (act != null) {
            done.incrementAndGet();
            act.run();
        }
    }

    @Override
    public int get(BlockKey key, long offset, ByteBuffer target) throws IOException {
        gets.incrementAndGet();
        meet(inGet);
        return delegate.get(key, offset, target);
    }

    @Override
    public void put(BlockKey key, ByteBuffer data) throws IOException {
        meet(inPut);
        delegate.put(key, data);
    }
}
