package volsh.volume;

import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import volsh.assembly.ShippingSwitch;
import volsh.assembly.VolumeParts;
import volsh.catalog.HistorySpan;
import volsh.catalog.Refusal;
import volsh.catalog.Refusal.Reason;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.history.Snapshots;
import volsh.meta.Moments;
import volsh.meta.Snapshot;
import volsh.meta.Ticks;
import volsh.ship.RecordingEngine;

/**
 * Snapshots of volumes, and for how long their history is kept. A {@code check…} method fails as the method it is named
 * after would, and changes nothing.
 */
public final class SnapshotControl {
    private final VolumeRegistry volumes;
    private final VolumeParts parts;
    private final InstantSource clock;

    SnapshotControl(VolumeRegistry volumes, VolumeParts parts, InstantSource clock) {
        this.volumes = volumes;
        this.parts = parts;
        this.clock = clock;
    }

    /** All snapshots of a volume, oldest first. */
    public List<Snapshot> list(String volume) throws IOException {
        return read(volume, engine -> new Snapshots(engine, clock).list());
    }

    /** @throws Refusal NOT_FOUND */
    public Snapshot find(String volume, String name) throws IOException {
        return read(volume, engine -> new Snapshots(engine, clock).find(name))
                .orElseThrow(() -> PastState.noSnapshot(volume, name));
    }

    /** @throws Refusal CONFLICT if the name is taken */
    public void checkCreate(String volume, String name) throws IOException {
        if (read(volume, engine -> new Snapshots(engine, clock).find(name)).isPresent()) {
            throw taken(volume, name);
        }
    }

    /**
     * Names what the volume is now. What mounts have not written out yet is not in it.
     * @throws Refusal CONFLICT if the name is taken
     */
    public Snapshot create(String volume, String name, String label) throws IOException {
        try {
            return change(volume, engine -> new Snapshots(engine, clock).create(name, label));
        } catch (FsException refused) {
            throw refused.error() == FsError.EXISTS ? taken(volume, name) : refused;
        }
    }

    private static Refusal taken(String volume, String name) {
        return new Refusal(Reason.CONFLICT, "volume '%s' has a snapshot '%s' already".formatted(volume, name),
                "volsh snapshot show %s@%s".formatted(volume, name));
    }

    /** Forgets a snapshot; what only it kept is given back by gc. @throws Refusal NOT_FOUND */
    public Snapshot destroy(String volume, String name) throws IOException {
        find(volume, name);
        return change(volume, engine -> new Snapshots(engine, clock).destroy(name));
    }

    /** For how long changes can be taken back, and from when on that is so. */
    public record History(HistorySpan kept, Optional<Instant> earliest) {}

    public History history(String volume) throws IOException {
        return read(volume, engine -> history(engine, clock));
    }

    static History history(RecordingEngine engine, InstantSource clock) throws IOException {
        var earliest = new Moments(engine, clock).earliest();
        return new History(new HistorySpan(new Ticks(engine, clock).retained()),
                earliest.isPresent() ? Optional.of(Instant.ofEpochSecond(earliest.getAsLong())) : Optional.empty());
    }

    /** Sets for how long the history of a volume is kept, from now on. */
    public void keep(String volume, HistorySpan span) throws IOException {
        change(volume, engine -> {
            new Ticks(engine, clock).retain(span.seconds());
            return null;
        });
    }

    private interface Work<R extends @Nullable Object> {
        R on(RecordingEngine engine) throws IOException;
    }

    private <R extends @Nullable Object> R read(String volume, Work<R> work) throws IOException {
        try (var engine = parts.openMetadata(volumes.find(volume))) {
            return work.on(engine);
        }
    }

    /** What is changed survives power loss and, where metadata is shipped, is on its way to the store. */
    private <R extends @Nullable Object> R change(String volume, Work<R> work) throws IOException {
        var spec = volumes.find(volume);
        try (var engine = parts.openMetadata(spec)) {
            VolumeRegistry.requireHere(spec, engine);
            R result = work.on(engine);
            engine.sync();
            new ShippingSwitch(parts).shipOrWarn(spec, engine);
            return result;
        }
    }
}
