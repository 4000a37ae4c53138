package volsh.writeback;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import volsh.block.BlockStore;
import volsh.catalog.Host;
import volsh.catalog.Log;
import volsh.disk.Disk;
import volsh.fuse.MountTable;
import volsh.inventory.JournalRow;
import volsh.inventory.Journals;
import volsh.journal.Journal;
import volsh.journal.Packing;
import volsh.journal.Staging;
import volsh.journal.StagingSettings;
import volsh.pack.PackedStore;
import volsh.pack.Reclaimer;

/**
 * The journals of a volume that is open for writing: its own if it writes back, and those that dead processes
 * left. The metadata has a row for each, from before its first block until after its last.
 */
public final class VolumeJournals implements AutoCloseable {
    private static final Duration EVERY = Duration.ofSeconds(10);
    private static final int UPLOADS = 8;
    /** How long small blocks wait for each other, unless a caller waits for them. */
    private static final Duration COMPANY = Duration.ofSeconds(2);

    private final Journals rows;
    private final Disk disk;
    private final InstantSource clock;
    private volatile Duration patience;
    private final Staging staging;
    private final Optional<JournalDirectory> own;
    private final List<JournalDirectory> left = new ArrayList<>();
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().name("journals").daemon().factory());
    private long counted;

    /**
     * Makes a journal of its own below {@code parent} if it is to write back. Nothing is stored before it is started.
     * Small blocks are stored together if {@code packing} is given.
     */
    public VolumeJournals(
            Journals rows, BlockStore store, Optional<Writeback> writeback, Path parent, Optional<PackedStore> packing,
            Disk disk, InstantSource clock) throws IOException {
        this.rows = rows;
        this.disk = disk;
        this.clock = clock;
        this.patience = writeback.map(Writeback::patience).orElse(Writeback.PATIENCE);
        this.own = writeback.isEmpty() ? Optional.empty()
                : Optional.of(JournalDirectory.create(parent, disk, clock, writeback.get().memoryWillDo()));
        var settings = new StagingSettings(
                writeback.map(each -> each.limit().bytes()).orElse(0L),
                writeback.map(Writeback::delay).orElse(Duration.ZERO), COMPANY);
        this.staging = new Staging(store, packing.map(Packing.class::cast), own.map(JournalDirectory::journal),
                settings, clock);
    }

    /**
     * Takes over what dead processes left, and begins to store in the background. {@code durable} waits until what is
     * committed can no longer come undone.
     */
    public void start(PackedStore packed, Reclaimer.Durable durable) throws IOException {
        if (own.isPresent()) {
            rows.put(row(own.get().journal(), clock.instant()));
        }
        adopt();
        tidy(packed, durable);
        if (own.isPresent() || !left.isEmpty()) {
            staging.start(UPLOADS);
        }
        var _ = timer.scheduleWithFixedDelay(this::turn, EVERY.toMillis(), EVERY.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Packs that a process has begun and is gone. */
    private void tidy(PackedStore packed, Reclaimer.Durable durable) {
        try {
            var known = rows.list().stream().map(JournalRow::id).collect(Collectors.toSet());
            left.forEach(gone -> known.remove(gone.journal().id()));
            packed.tidy(known::contains, durable);
        } catch (IOException later) {
            Log.LOG.log(Level.WARNING, "cannot remove unfinished packs of dead processes; the next mount will retry",
                    later);
        }
    }

    private static JournalRow row(Journal journal, Instant now) throws IOException {
        return JournalRow.opened(journal.id(), Host.name(), journal.directory().toString(), now)
                .inMemory(MountTable.isInMemory(journal.directory()));
    }

    /** Takes over what processes of this host left that are gone. */
    private void adopt() throws IOException {
        for (var row : rows.list()) {
            var found = JournalDirectory.adopt(row, disk, clock);
            if (found.isPresent()) {
                adopt(found.get());
            }
        }
        retire();
    }

    private void adopt(JournalDirectory found) throws IOException {
        var journal = found.journal();
        try {
            staging.adopt(journal, rows::named);
        } catch (IOException | RuntimeException failed) {
            found.lock().close();
            journal.close();
            throw failed;
        }
        left.add(found);
        if (!journal.isDone()) {
            Log.LOG.log(Level.INFO, "storing %d blocks (%d bytes) that a dead process left in %s"
                    .formatted(journal.blocks().size(), journal.bytes(), journal.directory()));
        }
    }

    private synchronized void turn() {
        try {
            retire();
            staging.watch();
            if (own.isPresent()) {
                count(own.get().journal());
            }
        } catch (IOException | RuntimeException missed) {
            Log.LOG.log(Level.WARNING, "cannot update the journals now; will retry", missed);
        }
    }

    /** Tells others what waits, if it is not the same as before: each change of a row is shipped. */
    private void count(Journal journal) throws IOException {
        var now = clock.instant();
        if (journal.bytes() != counted) {
            counted = journal.bytes();
            rows.put(row(journal, now).counted(now, journal.blocks().size(), journal.bytes(),
                    journal.oldest().orElse(now)));
        }
    }

    /** Forgets those in which nothing waits any more. */
    private void retire() throws IOException {
        for (var journal : staging.finished()) {
            for (var place : List.copyOf(left)) {
                if (place.journal() == journal) {
                    end(place);
                    left.remove(place);
                }
            }
        }
    }

    private void end(JournalDirectory place) throws IOException {
        place.journal().close();
        rows.remove(place.journal().id());
        try {
            place.remove();
        } catch (IOException inTheWay) {
            Log.LOG.log(Level.WARNING, "cannot remove the empty journal %s".formatted(place.journal().directory()),
                    inTheWay);
        }
        place.lock().close();
    }

    /** Do blocks that are written here wait in a journal? */
    public boolean isStaging() {
        return own.isPresent();
    }

    public Staging staging() {
        return staging;
    }

    public void waitNoLonger() {
        patience = Duration.ZERO;
    }

    /** Stores what waits, for as long as the settings say, before this is closed. */
    public void drain() throws IOException {
        stopTimer();
        boolean all = staging.drain(patience);
        if (!all) {
            Log.LOG.log(Level.WARNING, "%d bytes wait in journals for the next mount of this volume on this host"
                    .formatted(staging.status().bytes()));
        }
    }

    private void stopTimer() {
        timer.shutdown();
        timer.close();
    }

    /** Stops storing. What waits stays in the journals for the next process, and their rows tell how much. */
    @Override
    public void close() throws IOException {
        stopTimer();
        boolean stopped = false;
        try {
            staging.stop();
            stopped = true;
            retire();
            if (own.isPresent() && own.get().journal().isDone()) {
                end(own.get());
            } else if (own.isPresent()) {
                count(own.get().journal());
            }
        } finally {
            if (stopped) {
                unlock();
            } else {
                Thread.ofPlatform().name("journals-end").daemon().start(this::unlockAfterUploads);
            }
        }
    }

    /** Closing was interrupted: another process may have the journals when the uploads under way have ended. */
    private void unlockAfterUploads() {
        try {
            staging.stop();
        } catch (IOException unclosed) {
            Log.LOG.log(Level.WARNING, "cannot close the journals", unclosed);
        } finally {
            unlock();
        }
    }

    private void unlock() {
        own.ifPresent(place -> place.lock().close());
        left.forEach(place -> place.lock().close());
    }
}
