package volsh.mount;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import volsh.block.Call;
import volsh.event.EventLog;
import volsh.event.Happening;
import volsh.event.LogEvents;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fuse.Mount;

/**
 * A mount of this process as others find it: its record, its control socket and its events. Whatever it serves, it is
 * unmounted, detached and forgotten in the same steps.
 */
final class RegisteredMount implements AutoCloseable {
    private static final Logger LOG = System.getLogger("volsh.mount");
    private static final Duration AGAIN = Duration.ofMillis(500);
    private static final int ATTEMPTS = 6;
    private static final Duration BETWEEN_ATTEMPTS = Duration.ofMillis(50);

    private final Mount mount;
    private final MountSource source;
    private final Path mountPoint;
    private final Registry registry;
    private final EventLog events;
    private final Control control;
    private final LogEvents logged;
    private final CountDownLatch givenUp = new CountDownLatch(1);   // stop retrying what cannot be written out
    private MountRecord record;   // guarded by the registry

    /** Closes the mount if it throws. */
    RegisteredMount(Mount mount, MountPlan plan, Registry registry, Control.Requests requests, Instant now,
            EventLog events) throws IOException {
        this.mount = mount;
        this.source = plan.origin();
        this.mountPoint = plan.mountPoint();
        this.registry = registry;
        this.events = events;
        try {
            this.control = Control.listen(registry.socket(mountPoint), requests);
            this.record = new MountRecord(source, mountPoint, ProcessHandle.current().pid(), now, plan.options(),
                    plan.transport().resolved());
            registry.put(record);
        } catch (IOException | RuntimeException failed) {
            mount.close();
            throw failed;
        }
        this.logged = new LogEvents(events, mountPoint.toString());
        report(Happening.Level.INFO, "mounted %s: %s".formatted(source, plan.options()));
    }

    /** Adds an event. */
    void report(Happening.Level level, String text) {
        events.add(level, "mount", mountPoint.toString(), text);
    }

    /** Retries for a moment: a program that only scans mounts must not make this fail. */
    void unmount(boolean lazy) throws FsException {
        for (int attempt = 1; mount.isMounted(); attempt++) {
            try {
                mount.unmount(lazy);
                return;
            } catch (FsException refused) {
                if (refused.error() != FsError.BUSY || attempt == ATTEMPTS) {
                    throw refused;
                }
                LockSupport.parkNanos(BETWEEN_ATTEMPTS.toNanos());
            }
        }
    }

    /** The mount is gone: frees its directory for another one, and keeps this process findable until it ends. */
    void detach() {
        synchronized (registry) {
            if (!record.detached()) {
                try {
                    record = registry.detach(record);
                    control.movedTo(registry.socket(record));
                } catch (IOException full) {
                    LOG.log(Level.WARNING, "cannot move the record of this mount", full);
                }
            }
        }
    }

    /** Writes out until nothing is left, or {@link #giveUp} is called. */
    void writeOut(BooleanSupplier isUnwritten, Call.Action action) throws InterruptedException {
        while (isUnwritten.getAsBoolean() && !givenUp.await(AGAIN.toNanos(), TimeUnit.NANOSECONDS)) {
            try {
                action.run();
            } catch (IOException again) {
                LOG.log(Level.DEBUG, "writing out failed again", again);
            }
        }
    }

    void giveUp() {
        givenUp.countDown();
    }

    /** After the last byte is stored, or lost. */
    @Override
    public void close() throws IOException {
        control.close();
        synchronized (registry) {
            registry.remove(record);
        }
        report(Happening.Level.INFO, "unmounted %s".formatted(source));
        logged.close();
    }
}
