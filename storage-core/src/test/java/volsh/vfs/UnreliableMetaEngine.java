package volsh.vfs;

import java.io.IOException;
import java.util.Random;
import volsh.engine.MetaEngine;
import volsh.engine.MetaUnavailableException;
import volsh.fs.NoSpaceException;

/**
 * An engine that is sometimes out of reach or on a full disk, and gone for good when its power is. What it refuses it
 * has not done.
 */
final class UnreliableMetaEngine implements MetaEngine {
    private final MetaEngine delegate;
    private final Random random;
    private final boolean syncs;
    private double rate;
    private boolean full;
    private long transactionsLeft = Long.MAX_VALUE;
    long faults;

    /** {@code syncs}: does what sync promises; else it only says so. */
    UnreliableMetaEngine(MetaEngine delegate, Random random, boolean syncs) {
        this.delegate = delegate;
        this.random = random;
        this.syncs = syncs;
    }

    /** From now on this part of all calls fails. */
    void faultRate(double part) {
        rate = part;
    }

    /** From now on its disk has no space but the reserve for what frees some; or all the space one wants. */
    void full(boolean now) {
        full = now;
    }

    /** Loses power before the n-th transaction or sync from now. */
    void losePowerAt(long n) {
        transactionsLeft = n;
    }

    boolean isOff() {
        return transactionsLeft <= 0;
    }

    private void enter() throws IOException {
        transactionsLeft -= transactionsLeft == Long.MAX_VALUE ? 0 : 1;
        if (isOff()) {
            throw new IOException("simulated power loss");
        }
        if (random.nextDouble() < rate) {
            faults++;
            throw new MetaUnavailableException("simulated: out of reach", null);
        }
    }

    @Override
    public <R> R transact(Work<R> work) throws IOException {
        enter();
        if (full) {
            throw new NoSpaceException("simulated: the disk of the metadata is full", null);
        }
        return delegate.transact(work);
    }

    @Override
    public <R> R transactFreeing(Work<R> work) throws IOException {
        enter();
        return delegate.transactFreeing(work);
    }

    @Override
    public <R> R read(Work<R> work) throws IOException {
        return delegate.read(work);
    }

    @Override
    public void sync() throws IOException {
        enter();
        if (syncs) {
            delegate.sync();
        }
    }

    @Override
    public void close() throws IOException {
        delegate.close();
    }
}
