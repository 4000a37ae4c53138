package volsh.place;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import volsh.block.BlockKey;
import volsh.block.BlockStore;
import volsh.block.Call;
import volsh.block.GetLatencies;
import volsh.block.NoSuchBlockException;
import volsh.block.UnavailableException;

/** A store of a volume: its number, its name, and its recent health. Thread-safe. */
public final class Member implements AutoCloseable {
    private final int number;
    private final String name;
    private final BlockStore store;
    private final StoreHealth health;
    private final Delays delays;
    private final GetLatencies latencies = new GetLatencies();
    private final Pending gets = new Pending();
    private final Pending puts = new Pending();
    private volatile double meanNanos;
    private volatile double meanPutNanos;

    Member(int number, String name, BlockStore store, StoreHealth health, Delays delays) {
        this.number = number;
        this.name = name;
        this.store = store;
        this.health = health;
        this.delays = delays;
    }

    public int number() {
        return number;
    }

    public String name() {
        return name;
    }

    public StoreHealth health() {
        return health;
    }

    /** The store itself, regardless of its health. */
    public BlockStore store() {
        return store;
    }

    /** Stops using the store until it answers correctly. */
    public void shut(String why) {
        health.close(why);
    }

    /** Marks the store as answering correctly. */
    public void readmit() {
        health.succeeded();
    }

    /** After which time a get of {@code bytes} is late: the 95th percentile, or a second without statistics. */
    long patience(int bytes) {
        long late = latencies.late(bytes);
        return late == GetLatencies.UNKNOWN ? delays.unknown().toNanos() : late;
    }

    /** Whether a call has been pending much longer than usual: then other stores are preferred. */
    public boolean isOverdue() {
        long least = delays.overdue().toNanos();
        return gets.oldestNanos() > Math.max(least, (long) (4 * meanNanos))
                || puts.oldestNanos() > Math.max(least, (long) (4 * meanPutNanos));
    }

    /** The rank of this store: lower ones are asked first. */
    int rank() {
        return 2 * health.state().ordinal() + (isOverdue() ? 1 : 0);
    }

    /** How long the oldest pending call has been waiting. */
    long waitingNanos() {
        return Math.max(gets.oldestNanos(), puts.oldestNanos());
    }

    /** The recent average duration of a get. */
    double meanNanos() {
        return meanNanos;
    }

    int get(BlockKey key, long offset, ByteBuffer target) throws IOException {
        int bytes = target.remaining();
        long begin = System.nanoTime();
        int count = call(gets, () -> store.get(key, offset, target));
        long took = System.nanoTime() - begin;
        latencies.add(bytes, took);
        meanNanos = meanNanos == 0 ? took : 0.8 * meanNanos + 0.2 * took;
        return count;
    }

    void put(BlockKey key, ByteBuffer data) throws IOException {
        long begin = System.nanoTime();
        call(puts, Call.of(() -> store.put(key, data)));
        long took = System.nanoTime() - begin;
        meanPutNanos = meanPutNanos == 0 ? took : 0.8 * meanPutNanos + 0.2 * took;
    }

    void deleteAll(List<BlockKey> keys) throws IOException {
        call(puts, Call.of(() -> {
            if (keys.size() == 1) {
                store.delete(keys.getFirst());
            } else {
                store.deleteAll(keys);
            }
        }));
    }

    /** @throws UnavailableException at once if the store is down */
    private <R extends @Nullable Object> R call(Pending pending, Call<R> call) throws IOException {
        if (!health.isUsable()) {
            throw new UnavailableException(StoreHealth.said(name, health.reason().orElse("it does not respond")), null);
        }
        var begun = pending.begin();
        try {
            R result = call.run();
            health.succeeded();
            return result;
        } catch (NoSuchBlockException answer) {
            health.succeeded();
            throw answer;
        } catch (InterruptedIOException | ClosedByInterruptException stopped) {
            throw stopped;
        } catch (IOException failed) {
            health.failed(String.valueOf(failed.getMessage()));
            throw failed;
        } finally {
            pending.end(begun);
        }
    }

    @Override
    public void close() throws IOException {
        store.close();
    }

    @Override
    public String toString() {
        return "'" + name + "'";
    }
}
