package volsh.system;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import volsh.system.DirtyLimits.Settings;

/**
 * Temporary limits of dirty pages. The previous limits are recorded before anything changes, and the record is locked
 * while the process lives: two processes never save each other's limits, and those of a killed one can be restored. The
 * record must be where files disappear on a reboot, like the limits.
 */
public final class HeldLimits implements AutoCloseable {
    /** Below /run: one per machine, and gone after a reboot. */
    public static final Path RECORD = Path.of("/run/volsh-dirty-limits");
    private static final int LONGEST = 4096;
    private static final Set<OpenOption> LOOK = Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
    private static final Set<OpenOption> HOLD =
            Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE,
                    LinkOption.NOFOLLOW_LINKS);

    private final Path proc;
    private final FileChannel record;
    private final Optional<Settings> left;
    private @Nullable Settings before;

    /** Another process holds limits now. */
    public static final class BusyException extends IOException {
        private static final long serialVersionUID = 1;

        BusyException(Path record) {
            super("the limits of dirty pages are in use by another process (%s)".formatted(record));
        }
    }

    private HeldLimits(Path proc, FileChannel record) throws IOException {
        this.proc = proc;
        this.record = record;
        this.left = read(record);
        if (left.isPresent()) {
            left.get().restore(proc);
            record.truncate(0);
        }
    }

    /**
     * Restores what a killed process left, if one did.
     *
     * @throws BusyException if a process holds the limits now
     * @throws IOException if this user may not
     */
    public static HeldLimits take(Path proc, Path record) throws IOException {
        var channel = FileChannel.open(record, HOLD);
        try {
            if (lock(channel, false).isEmpty()) {
                throw new BusyException(record);
            }
            return new HeldLimits(proc, channel);
        } catch (IOException | RuntimeException failed) {
            channel.close();
            throw failed;
        }
    }

    /** The limits before a killed process changed them; empty if there are none, or if the process still runs. */
    public static Optional<Settings> leftBehind(Path record) throws IOException {
        if (!Files.exists(record, LinkOption.NOFOLLOW_LINKS)) {
            return Optional.empty();
        }
        try (var channel = FileChannel.open(record, LOOK)) {
            return lock(channel, true).isEmpty() ? Optional.empty() : read(channel);
        } catch (NoSuchFileException gone) {
            return Optional.empty();
        }
    }

    private static Optional<FileLock> lock(FileChannel channel, boolean shared) throws IOException {
        try {
            return Optional.ofNullable(channel.tryLock(0, Long.MAX_VALUE, shared));
        } catch (OverlappingFileLockException here) {
            return Optional.empty();
        }
    }

    private static Optional<Settings> read(FileChannel record) throws IOException {
        var bytes = ByteBuffer.allocate(LONGEST);
        while (record.read(bytes, bytes.position()) > 0) {
            // a line is read at once; for completeness only
        }
        var text = new String(bytes.array(), 0, bytes.position(), StandardCharsets.US_ASCII).strip();
        return text.isEmpty() ? Optional.empty() : Optional.of(Settings.parse(text));
    }

    /** What was restored because a killed process had left its own limits. */
    public Optional<Settings> left() {
        return left;
    }

    /** Applies these limits until {@link #close}. */
    public void apply(DirtyLimits wanted) throws IOException {
        if (before == null) {
            before = Settings.read(proc);
            record.write(ByteBuffer.wrap((before + "\n").getBytes(StandardCharsets.US_ASCII)), 0);
        }
        wanted.apply(proc);
    }

    /** Restores the previous limits. @throws IOException if that failed; the record stays, and says what to restore */
    @Override
    public void close() throws IOException {
        boolean interrupted = Thread.interrupted();     // it would close the record before it is emptied
        try (record) {
            if (before != null) {
                before.restore(proc);
                record.truncate(0);
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
