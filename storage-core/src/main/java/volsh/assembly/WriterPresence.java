package volsh.assembly;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import volsh.fs.OtherWriters;
import volsh.meta.Sessions;

/**
 * Says that this process writes to a volume whose metadata is on this machine, and lets one writer know that it is
 * alone. All writers hold a file beside the metadata with a shared lock; one that holds it exclusively is alone, and
 * others wait until it lets them in. The kernel takes the locks of a process that dies.
 *
 * <p>Byte 0 is held by writers, byte 1 by the one that changes between the two kinds of holding: the JDK cannot convert
 * a lock in one step. Who waits sets the time of the file, which needs no space on the disk.
 */
public final class WriterPresence implements OtherWriters, AutoCloseable {
    /** How long a writer that is alone may take to let others in: what its kernel knows has then expired by itself. */
    public static final Duration LONGEST = Duration.ofSeconds(13);
    private static final long PAUSE_NANOS = 2_000_000;
    private static final Map<Path, Held> HERE = new ConcurrentHashMap<>();

    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Held held;
    private final Sessions sessions;
    private long lookedAt;

    /** The file as this process holds it: locks belong to processes. Guarded by itself. */
    private static final class Held {
        private final Path file;
        private @Nullable FileChannel channel;   // null while there are no writers here
        private @Nullable FileLock lock;         // of byte 0; null if it could not be had in time
        private @Nullable FileLock election;     // of byte 1, while one here is alone
        private int writers;
        private FileTime seen = FileTime.fromMillis(0);

        Held(Path file) {
            this.file = file;
        }
    }

    private WriterPresence(Held held, Sessions sessions) {
        this.held = held;
        this.sessions = sessions;
    }

    /** The file of the volume in this directory. */
    public static Path file(Path directory) {
        return directory.resolve("meta.db-writers");
    }

    /** Waits, up to {@code longest}, until no writer is alone: a stopped process keeps no other waiting for ever. */
    public static WriterPresence enter(Path file, Duration longest, Sessions sessions) throws IOException {
        var held = HERE.computeIfAbsent(file.toAbsolutePath().normalize(), Held::new);
        var presence = new WriterPresence(held, sessions);
        long deadline = System.nanoTime() + longest.toNanos();
        while (!presence.enter(System.nanoTime() - deadline > 0)) {
            LockSupport.parkNanos(PAUSE_NANOS);
        }
        return presence;
    }

    private boolean enter(boolean anyway) throws IOException {
        synchronized (held) {
            var channel = held.channel == null ? open(held.file) : held.channel;
            held.channel = channel;
            var lock = held.lock == null ? channel.tryLock(0, 1, true) : held.lock;
            held.lock = lock;
            boolean possible = lock != null && held.election == null;
            if (!possible && !anyway) {
                Files.setLastModifiedTime(held.file, FileTime.from(Instant.now()));
                return false;
            }
            held.writers++;
            return true;
        }
    }

    private static FileChannel open(Path file) throws IOException {
        return FileChannel.open(file,
                Set.of(StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    }

    /** Whether there is no other session: one of an older volsh, or without space for the file, would not wait. */
    private boolean isOnly() throws IOException {
        lookedAt = System.nanoTime();
        return sessions.list().size() == 1;
    }

    @Override
    public boolean exclude() throws IOException {
        return isOnly() && excludesHere();
    }

    private boolean excludesHere() throws IOException {
        synchronized (held) {
            var channel = held.channel;
            var shared = held.lock;
            if (held.writers != 1 || channel == null || shared == null || held.election != null) {
                return held.writers == 1 && held.election != null;
            }
            var turn = channel.tryLock(1, 1, false);
            if (turn == null) {
                return false;
            }
            held.seen = Files.getLastModifiedTime(held.file);
            shared.close();
            var alone = channel.tryLock(0, 1, false);
            if (alone == null) {
                held.lock = channel.lock(0, 1, true);   // shared: no process takes it alone without the turn
                turn.close();
                return false;
            }
            held.lock = alone;
            held.election = turn;
            return true;
        }
    }

    @Override
    public boolean isWaiting() throws IOException {
        return isWaitingHere() || System.nanoTime() - lookedAt > LOOK_NANOS && !isOnly();
    }

    private boolean isWaitingHere() throws IOException {
        synchronized (held) {
            return held.election != null && !Files.getLastModifiedTime(held.file).equals(held.seen);
        }
    }

    @Override
    public void admit() throws IOException {
        synchronized (held) {
            var channel = held.channel;
            var alone = held.lock;
            var turn = held.election;
            if (channel == null || alone == null || turn == null) {
                return;
            }
            alone.close();
            held.lock = channel.lock(0, 1, true);
            turn.close();
            held.election = null;
        }
    }

    @Override
    public void close() throws IOException {
        synchronized (held) {
            held.writers--;
            var channel = held.channel;
            if (held.writers == 0 && channel != null) {
                held.channel = null;
                held.lock = null;
                held.election = null;
                channel.close();
            }
        }
    }
}
