package volsh.writeback;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import volsh.unit.ByteSize;

/**
 * Writes are acknowledged when they are in a journal on a local disk, and reach the store later. At most {@code limit}
 * bytes wait; a block waits {@code delay} at least, so that what is soon deleted is never stored; closing the volume
 * waits {@code patience} for the rest, which then stays in the journal. Without a directory the journal is in the home.
 * Only if {@code memoryWillDo} it may be on a file system in memory, which a restart empties.
 */
public record Writeback(Optional<Path> directory, ByteSize limit, Duration delay, Duration patience,
        boolean memoryWillDo) {
    public static final ByteSize LIMIT = ByteSize.of("16GiB");
    public static final Duration DELAY = Duration.ZERO;
    public static final Duration PATIENCE = Duration.ofMinutes(1);

    public static final Writeback USUAL = new Writeback(Optional.empty(), LIMIT, DELAY, PATIENCE);

    public Writeback {
        if (limit.bytes() == 0) {
            throw new IllegalArgumentException("a journal of 0B holds nothing (try %s)".formatted(LIMIT));
        }
        directory.filter(place -> !place.isAbsolute()).ifPresent(place -> {
            throw new IllegalArgumentException("a journal directory is an absolute path: " + place);
        });
    }

    /** On a disk that keeps what it has. */
    public Writeback(Optional<Path> directory, ByteSize limit, Duration delay, Duration patience) {
        this(directory, limit, delay, patience, false);
    }

    /** The same, and its journal may be in memory. */
    public Writeback inMemory() {
        return new Writeback(directory, limit, delay, patience, true);
    }

    /** The same with its journal here. */
    public Writeback in(Path place) {
        return new Writeback(Optional.of(place), limit, delay, patience, memoryWillDo);
    }
}
