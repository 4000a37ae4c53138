package volsh.volume;

import java.io.IOException;
import java.time.InstantSource;
import java.util.Optional;
import volsh.codec.CorruptBlockException;
import volsh.engine.MetaDamagedException;
import volsh.event.EventLog;
import volsh.event.Happening;
import volsh.fs.ImportChangedException;
import volsh.upkeep.check.Damage;

/**
 * Damage of a volume that commands and mounts meet while they read: it is remembered in {@link KnownDamage} and becomes
 * an event, unless damage of that kind is known already. Reads that find no damage never come here.
 */
public final class MetDamage {
    private static final Object WRITING = new Object();   // the file is read, changed and replaced

    private final String volume;
    private final KnownDamage known;
    private final EventLog events;
    private final InstantSource clock;
    private volatile boolean kept;

    MetDamage(String volume, KnownDamage known, EventLog events, InstantSource clock) {
        this.volume = volume;
        this.known = known;
        this.events = events;
        this.clock = clock;
    }

    /** A block that a file needs is not what was written. */
    void met(CorruptBlockException block) {
        note(block.isMissing() ? Damage.OBJECT_MISSING : Damage.OBJECT_CORRUPT, block);
    }

    /** An object that a file was imported from is no longer what it was. */
    void met(ImportChangedException changed) {
        note(Damage.IMPORT_CHANGED, changed);
    }

    /**
     * A row of the metadata is not what was written. What names neither a row nor a cause may be a log that was
     * shortened meanwhile, which its reader knows.
     */
    void met(MetaDamagedException metadata) {
        if (metadata.row().isPresent()) {
            note(Damage.ROW_UNREADABLE, metadata);
        } else if (metadata.getCause() != null) {
            note(Damage.DATABASE_DAMAGED, metadata);
        }
    }

    private void note(Damage damage, IOException met) {
        synchronized (WRITING) {
            boolean added = known.met(damage, clock.instant());
            kept = added || known.find().isPresent();
            if (added) {
                events.add(Happening.Level.ERROR, "volume", volume, damage == Damage.IMPORT_CHANGED
                        ? "%s; volsh import --list %s".formatted(met.getMessage(), volume)
                        : "damaged: %s; volsh volume check %s --deep".formatted(met.getMessage(), volume));
            }
        }
    }

    /** The files of all imports follow their buckets again. */
    void refreshed() {
        synchronized (WRITING) {
            known.refreshed(clock.instant());
        }
    }

    /** Whether the last damage that was met here was remembered. */
    public boolean isKept() {
        return kept;
    }

    /** What is known to be damaged, also by others. */
    public Optional<KnownDamage.Found> known() {
        return known.find();
    }
}
