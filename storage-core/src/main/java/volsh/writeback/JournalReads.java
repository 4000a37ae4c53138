package volsh.writeback;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import volsh.block.BlockKey;
import volsh.block.BlockStore;
import volsh.block.Forwarding;
import volsh.block.NoSuchBlockException;
import volsh.block.UnavailableException;
import volsh.disk.Disk;
import volsh.inventory.JournalRow;
import volsh.inventory.Journals;
import volsh.journal.Journal;
import volsh.unit.ByteSize;

/**
 * A store that also reads blocks which still wait in journals. A journal on this host is read directly; for one on
 * another host a reader waits a while, and then fails with the place of its bytes: it never gets zeros or a missing
 * block.
 */
public record JournalReads(BlockStore delegate, Journals rows, Disk disk, InstantSource clock, Duration patience)
        implements Forwarding {
    public static final Duration PATIENCE = Duration.ofSeconds(10);

    private static final long PAUSE_MILLIS = 250;

    @Override
    public int get(BlockKey key, long offset, ByteBuffer target) throws IOException {
        int start = target.position();
        try {
            return delegate.get(key, offset, target);
        } catch (NoSuchBlockException missing) {
            target.position(start);
            return key.block().isPresent() ? find(key, offset, target, missing) : fail(missing);
        }
    }

    private static int fail(NoSuchBlockException missing) throws NoSuchBlockException {
        throw missing;
    }

    private int find(BlockKey key, long offset, ByteBuffer target, NoSuchBlockException missing) throws IOException {
        var places = rows.list();
        var here = readHere(places, key.block().getAsLong(), offset, target);
        if (here.isPresent()) {
            return here.get();
        }
        return places.isEmpty() ? fail(missing) : await(places, key, offset, target);
    }

    private Optional<Integer> readHere(List<JournalRow> places, long block, long offset, ByteBuffer target)
            throws IOException {
        for (var place : places) {
            if (JournalDirectory.isHere(place)) {
                try (var journal = Journal.open(place.id(), Path.of(place.directory()), disk, clock)) {
                    var read = journal.read(block, offset, target);
                    if (read.isPresent()) {
                        return read;
                    }
                }
            }
        }
        return Optional.empty();
    }

    /** It may be on its way, or be stored between two looks. */
    private int await(List<JournalRow> places, BlockKey key, long offset, ByteBuffer target) throws IOException {
        boolean elsewhere = !places.stream().allMatch(JournalDirectory::isHere);
        long end = System.nanoTime() + (elsewhere ? patience.toNanos() : 0);
        int start = target.position();
        while (true) {
            try {
                return delegate.get(key, offset, target);
            } catch (NoSuchBlockException still) {
                target.position(start);
                if (System.nanoTime() >= end) {
                    throw elsewhere ? waiting(key, places, still) : still;
                }
            }
            pause();
        }
    }

    private static UnavailableException waiting(BlockKey key, List<JournalRow> places, NoSuchBlockException missing) {
        var where = places.stream()
                .filter(place -> !JournalDirectory.isHere(place))
                .map(place -> "%s:%s (%s since %s, counted %s)".formatted(
                        place.host(), place.directory(), new ByteSize(place.bytes()), place.oldest(), place.counted()))
                .toList();
        return new UnavailableException("%s is not in the store yet: it waits in the journal of %s"
                .formatted(key, String.join(" or ", where)), missing);
    }

    private static void pause() throws InterruptedIOException {
        try {
            Thread.sleep(PAUSE_MILLIS);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while waiting for a block");
        }
    }
}
