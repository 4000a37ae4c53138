package volsh.fuse.kernel;

import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import volsh.fuse.MountOptions;
import volsh.fuse.MountPoint;
import volsh.fuse.Native;
import volsh.fuse.OperationStats;

/**
 * The threads of a mount. When all of them are busy another is started, up to {@value #MOST}, so that there is always
 * one to read the next request, perhaps an interrupt, although a slow store holds up others. There are as few as
 * possible: the kernel hands requests to them in turn, and a thread that has just worked is faster than one that has
 * slept. Threads in excess of the configured number end some time after a busy period.
 *
 * <p>While {@link PollingPace} says that it pays, one of them serves alone and the others come to rest in the {@link
 * Reserve}. It polls for requests instead of sleeping until the kernel wakes it, or sleeps on the processor of the
 * program that it serves ({@link ClientFollower}), if {@link WaitingTrial} finds that better than all of them. At any
 * time one thread sleeps at the device, or one polls and is watched.
 */
final class Workers {
    private static final int MOST = 256;
    private static final long LEFT_OVER_NANOS = TimeUnit.SECONDS.toNanos(10);
    /** A program that asks for nothing for so long is not waited for any more. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long HELD_UP_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    /** Where others need the processor, a thread that works may have to wait for it. */
    private static final long HELD_UP_FOLLOWING_NANOS = TimeUnit.MILLISECONDS.toNanos(4);
    private static final boolean MAY_LOOK = Runtime.getRuntime().availableProcessors() > 1;

    /** Where a worker goes: sleeps at the device, polls for requests, or ends. */
    enum Place { DEVICE, LOOKOUT, NONE }

    private final int descriptor;
    private final RequestHandler operations;
    private final MountOptions options;
    private final OperationStats stats;
    private final Set<Worker> all = ConcurrentHashMap.newKeySet();
    private final AtomicInteger idle = new AtomicInteger();   // threads asleep at the device
    private final AtomicReference<@Nullable Worker> looking = new AtomicReference<>();
    private final Reserve reserve = new Reserve();
    private final PollingPace pace = PollingPace.polling();
    private final PollingPace followingPace = PollingPace.following();
    private final WaitingTrial trial = new WaitingTrial();   // used by the thread that looks for requests
    private volatile WaitingTrial.Way way = WaitingTrial.Way.POLLING;
    private final AtomicInteger count = new AtomicInteger();
    private final CountDownLatch disconnected = new CountDownLatch(1);
    private final CountDownLatch gone = new CountDownLatch(1);
    private volatile long allBusyAt = System.nanoTime();
    private volatile long doneAt = allBusyAt;
    private volatile long arrivedAt = allBusyAt;
    private volatile boolean worthLooking;
    private volatile boolean worthFollowing;
    private volatile boolean stopping;

    Workers(int descriptor, RequestHandler operations, MountOptions options, OperationStats stats) {
        this.descriptor = descriptor;
        this.operations = operations;
        this.options = options;
        this.stats = stats;
    }

    void start() {
        add();
    }

    private void add() {
        int number = count.getAndIncrement();
        idle.incrementAndGet();
        var worker = new Worker(descriptor, operations, options, this, stats);
        all.add(worker);
        Thread.ofPlatform().name("fuse-" + number).daemon().start(worker);
    }

    // ---- called by workers

    /** A worker at the device has received a request. */
    void busy() {
        boolean last = idle.decrementAndGet() == 0;
        long now = System.nanoTime();
        if (MAY_LOOK && looking.get() == null) {
            boolean alone = count.get() - idle.get() - reserve.size() == 1;
            boolean may = isTimeToTry(now, alone);
            worthLooking = pace.arrived(now - doneAt, alone) && may;
            worthFollowing = followingPace.arrived(now - doneAt, alone) && may;
        }
        arrivedAt = now;
        if (last) {
            allBusyAt = now;
            callAnother();
        }
    }

    private boolean isTimeToTry(long now, boolean alone) {
        long interval = now - arrivedAt;
        if (!alone || interval > PollingPace.PATIENT_NANOS) {
            return false;
        }
        synchronized (trial) {
            return trial.arrived(interval);
        }
    }

    /** Sends another thread to the device while others are at work. */
    private void callAnother() {
        boolean cared = looking.get() != null && reserve.isWatched();
        if (!cared && !reserve.call() && count.get() < MOST && !stopping) {
            add();
        }
    }

    /** Where a worker goes after a request. It ends if others wait and the last busy period is long over. */
    Place done(Worker worker, boolean others) {
        doneAt = System.nanoTime();
        if (looking.get() == worker && goesOnLooking(worker, others)) {
            return Place.LOOKOUT;
        }
        if (idle.get() + reserve.size() >= options.threads() && doneAt - allBusyAt > LEFT_OVER_NANOS) {
            return Place.NONE;
        }
        if ((worthLooking || worthFollowing) && looking.compareAndSet(null, worker) && beginLooking(worthLooking)) {
            return Place.LOOKOUT;
        }
        if (isLookedFor()) {
            reserve.rest(this::isLookedFor, this::isHeldUp);
        }
        toDevice();
        return Place.DEVICE;
    }

    /** One more goes to the device. */
    void toDevice() {
        idle.incrementAndGet();
    }

    // ---- the polling thread

    /** False if requests are best waited for anywhere. */
    private boolean beginLooking(boolean mayPoll) {
        worthLooking = false;
        worthFollowing = false;
        pace.begin();
        followingPace.begin();
        synchronized (trial) {
            way = trial.begin(doneAt, mayPoll);
        }
        if (way == WaitingTrial.Way.ANYWHERE) {
            looking.set(null);
            return false;
        }
        if (idle.get() == 0) {
            callAnother();
        }
        return true;
    }

    /** This worker polls no more; no effect if it did not. */
    void endLooking(Worker worker) {
        if (looking.compareAndSet(worker, null)) {
            pace.end();
            followingPace.end();
            synchronized (trial) {
                trial.end(doneAt);
            }
        }
    }

    /** Whether this worker serves alone and sleeps where the program runs. */
    boolean follows(Worker worker) {
        return way == WaitingTrial.Way.ASLEEP && looks(worker);
    }

    /** The program that is served alone cannot be followed. */
    void cannotFollow() {
        synchronized (trial) {
            way = trial.refuseSleep();
        }
    }

    /** Whether this worker still polls for requests. */
    boolean looks(Worker worker) {
        return looking.get() == worker && !stopping;
    }

    private boolean goesOnLooking(Worker worker, boolean others) {
        boolean paid = pace.served(others);
        followingPace.served(others);
        synchronized (trial) {
            way = trial.served(doneAt);
        }
        if (!paid || way == WaitingTrial.Way.ANYWHERE) {
            endLooking(worker);
            reserve.callAll();
            return false;
        }
        return true;
    }

    /**
     * Whether further polling is useless. Threads that slept at the device when this began are still woken for a
     * request each, and are waited for.
     */
    boolean isInVain(long now, long began) {
        boolean others = count.get() - idle.get() - reserve.size() > 1;
        return now - began > (others ? 5 * PollingPace.LOOK_NANOS : PollingPace.LOOK_NANOS)
                && now - doneAt > PollingPace.LOOK_NANOS;
    }

    private boolean isLookedFor() {
        return looking.get() != null && !stopping && !isDisconnected();
    }

    /** Whether the thread that serves alone is held up by a request, or asleep for long. */
    private boolean isHeldUp() {
        var worker = looking.get();
        if (worker == null) {
            return false;
        }
        long longest = !follows(worker) ? HELD_UP_NANOS
                : worker.receiving() != 0 ? PAUSE_NANOS : HELD_UP_FOLLOWING_NANOS;
        if (!worker.isHeldUp(longest)) {
            return false;
        }
        endLooking(worker);
        return true;
    }

    // ---- the end

    /** There will be no more requests. */
    void disconnected() {
        disconnected.countDown();
        reserve.callAll();
    }

    void ended(Worker worker) {
        all.remove(worker);
        if (count.decrementAndGet() == 0) {
            gone.countDown();
        }
    }

    boolean stopping() {
        return stopping;
    }

    boolean isDisconnected() {
        return disconnected.getCount() == 0;
    }

    // ---- called by others

    Iterable<Worker> all() {
        return all;
    }

    /** Waits until there will be no more requests through this mount. */
    void await(MountPoint point) throws InterruptedException {
        point.await(disconnected);
    }

    /** Ends threads after their current request. True if all have ended within {@code longest}. */
    boolean stop(Duration longest) throws InterruptedException {
        stopping = true;
        long deadline = System.nanoTime() + longest.toNanos();
        try (var arena = Arena.ofConfined()) {
            var calls = new Native(arena);
            do {   // repeatedly: a thread may have been about to wait
                reserve.callAll();
                for (var worker : all) {
                    if (worker.receiving() != 0) {
                        calls.wake(worker.receiving());
                    }
                }
                if (gone.await(2, TimeUnit.MILLISECONDS)) {
                    return true;
                }
            } while (System.nanoTime() < deadline || waiting());
        }
        return false;
    }

    private boolean waiting() {
        for (var worker : all) {
            if (worker.receiving() != 0) {
                return true;
            }
        }
        return false;
    }
}
