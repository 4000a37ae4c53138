package volsh.mount;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import volsh.bucketfs.AbandonedUploads;
import volsh.inventory.JournalRow;
import volsh.journal.StagingStatus;
import volsh.unit.ByteSize;
import volsh.volume.Volumes;

/**
 * A mount whose process is gone, and what it left: its journal is on a disk and is counted there, its commits are in
 * the metadata. Bytes that were only in its memory are lost, and no longer at risk. {@code stats} is empty if the
 * metadata is unavailable. {@code uploads} are those to a bucket that were not ended.
 */
public record DeadMount(MountRecord record, Optional<MountStats> stats, int uploads) {
    static DeadMount of(MountRecord record, Volumes volumes, Path logs) {
        if (record.source().place().isEmpty()) {   // a bucket: it has no journal
            return new DeadMount(record, Optional.of(MountStats.left(StagingStatus.NOTHING, Optional.empty())),
                    uploads(logs, record.pid()));
        }
        try {
            var volume = record.source().volume();
            var journals = volumes.journals().leftBy(volume, record.pid());
            var staged = new StagingStatus(journals.stream().mapToInt(JournalRow::blocks).sum(), journals.stream()
                    .mapToLong(JournalRow::bytes).sum(), journals.stream().filter(journal -> journal.bytes() > 0)
                    .map(JournalRow::oldest).min(Instant::compareTo), Optional.empty(), List.of());
            var unshipped = volumes.status(volume).shipping()
                    .map(status -> new MountStats.Unshipped(status.unshipped(), status.bytes(), status.oldest()));
            return new DeadMount(record, Optional.of(MountStats.left(staged, unshipped)), 0);
        } catch (IOException unknown) {
            return new DeadMount(record, Optional.empty(), 0);
        }
    }

    private static int uploads(Path logs, long pid) {
        try {
            return AbandonedUploads.count(logs, pid);
        } catch (IOException unknown) {
            return 0;
        }
    }

    public AtRisk risk() {
        return stats.map(AtRisk::of).orElse(AtRisk.UNKNOWN);
    }

    private long waiting() {
        return stats.map(known -> known.staged().bytes()).orElse(0L);
    }

    public String sentence() {
        if (record.source().place().isEmpty()) {
            return "its process %d has died: files that were not closed are lost%s".formatted(record.pid(),
                    uploads == 0 ? "" : "; %d unfinished uploads are in the bucket".formatted(uploads));
        }
        var journal = stats.isEmpty() ? "the state of its journal is unknown"
                : waiting() == 0 ? "its journal is empty"
                : new ByteSize(waiting()) + " are waiting in its journal on this host";
        return "its process %d has died: %s; data that was not synced is lost".formatted(record.pid(), journal);
    }

    /** The command that stores what it left; if there is nothing to store, the one that clears the mount point. */
    public String next() {
        return waiting() > 0 ? "volsh cache flush " + record.source().volume() : "volsh mounts recover";
    }
}
