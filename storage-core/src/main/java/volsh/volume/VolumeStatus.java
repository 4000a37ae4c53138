package volsh.volume;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import volsh.catalog.GcMode;
import volsh.catalog.VolumeSpec;
import volsh.inventory.GcTurns;
import volsh.inventory.JournalRow;
import volsh.inventory.Strays;
import volsh.inventory.VolumeUsage;
import volsh.meta.Quotas;
import volsh.meta.Session;
import volsh.quota.QuotaRule;
import volsh.ship.Shipping;
import volsh.unit.ByteSize;
import volsh.unit.Count;

/**
 * A volume as it is now: its record, how much it holds, which sessions have it open, how far its metadata is shipped,
 * and in which journals blocks wait that the store does not have.
 *
 * @param database the database with its metadata, without a password; empty if the metadata is on this machine
 * @param usage   its stored bytes are those of all its stores, with copies and parity
 * @param history how far back it can be read as it was
 * @param quota how much it may hold
 * @param fullest the quota that is nearly used up most, of the volume, a directory or an owner
 * @param reclaimable what was deleted and waits to be reclaimed: the store still has it, and {@code usage} counts only
 *                    a part of it
 * @param files without directories; empty if they are not counted apart, or for a token that does not see the counters
 * @param importedBytes of objects that files point at; no store of the volume has them
 */
public record VolumeStatus(
        VolumeSpec spec, VolumeUsage usage, List<Session> sessions, Optional<Shipping.Status> shipping,
        Optional<String> database, SnapshotControl.History history, List<JournalRow> journals, Gc gc,
        Optional<QuotaRule> quota, Optional<Quotas.Fullest> fullest, Strays.Waiting reclaimable,
        OptionalLong files, long importedBytes) {
    /** The part of a quota from which on it counts as nearly used up. */
    public static final double NEAR = 0.9;
    /** The part of a quota from which on it counts as used up: writers take more than a few bytes at a time. */
    public static final double FULL = 0.99;

    /** Whether mounts collect its garbage, and what they did last. */
    public record Gc(GcMode mode, GcTurns.State last) {}

    public VolumeStatus {
        sessions = List.copyOf(sessions);
        journals = List.copyOf(journals);
    }

    /**
     * Bytes of {@link #storedBytes} that wait in journals, as their hosts counted them last: the store does not have
     * them yet.
     */
    public long stagedBytes() {
        return journals.stream().mapToLong(JournalRow::bytes).sum();
    }

    /**
     * Bytes that the store has or will have, of what can be read and of what waits to be reclaimed; missing parts are
     * counted.
     */
    public long storedBytes() {
        return usage.storedBytes() + reclaimable.bytes() - reclaimable.counted();
    }

    /** Such as {@code 7GiB in 3 files}; empty for a token that does not see the counters. */
    public Optional<String> contents() {
        return !usage.isKnown() ? Optional.empty()
                : Optional.of("%s in %s".formatted(new ByteSize(usage.bytes()), files.isPresent()
                        ? Count.of(files.getAsLong(), "file")
                        : Count.of(Math.max(0, usage.inodes() - 1), "inode")));   // the root does not count
    }

    /** Whether a mount that lives collects garbage now. */
    public boolean isCollecting() {
        return gc.last().isRunning() && sessions.stream().anyMatch(session -> session.id() == gc.last().session());
    }
}
