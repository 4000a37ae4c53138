package volsh.volume;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Optional;
import volsh.block.BlockStore;
import volsh.meta.Journals;
import volsh.ship.Identity;
import volsh.ship.RecordingEngine;
import volsh.ship.Shipping;
import volsh.volume.Refusal.Reason;

/** What a volume consists of: a directory with its metadata in the home, and its part of a store. */
final class VolumeParts {
    private final Home home;
    private final Assembly assembly;
    private final Stores stores;
    private final InstantSource clock;

    VolumeParts(Home home, Assembly assembly, Stores stores, InstantSource clock) {
        this.home = home;
        this.assembly = assembly;
        this.stores = stores;
        this.clock = clock;
    }

    BlockStore openStore(VolumeSpec spec) throws IOException {
        return assembly.store(stores.find(spec.store()).url(), spec.prefix());
    }

    /** Removes the empty directories that a file store keeps. */
    void tidyStore(VolumeSpec spec) throws IOException {
        assembly.tidy(stores.find(spec.store()).url(), spec.prefix());
    }

    /** The store as a whole, all volumes' parts below it. */
    BlockStore openWholeStore(VolumeSpec spec) throws IOException {
        return assembly.store(stores.find(spec.store()).url());
    }

    RecordingEngine createMetadata(VolumeSpec spec) throws IOException {
        assembly.disk().makeDirectories(directory(spec));
        return new RecordingEngine(assembly.createMetadata(directory(spec)), clock);
    }

    /** @throws Refusal UNAVAILABLE if the file is gone */
    RecordingEngine openMetadata(VolumeSpec spec) throws IOException {
        try {
            return new RecordingEngine(assembly.openMetadata(directory(spec)), clock);
        } catch (NoSuchFileException gone) {
            throw new Refusal(Reason.UNAVAILABLE,
                    "the metadata of volume '%s' is missing: %s"
                            .formatted(spec.name(), Assembly.metadata(directory(spec))))
                    .detail("is the home's file system mounted? without this file the volume's blocks cannot be read");
        }
    }

    void removeMetadata(VolumeSpec spec) throws IOException {
        remove(directory(spec));
    }

    /** Removes what processes of this host staged of it. If the metadata cannot be read, nobody knows where that is. */
    void removeJournals(VolumeSpec spec) {
        try (var engine = openMetadata(spec)) {
            for (var row : new Journals(engine).list()) {
                if (JournalDirectory.isHere(row)) {
                    remove(Path.of(row.directory()));
                }
            }
        } catch (IOException unreadable) {
            // see above; what is beside the metadata goes with it
        }
    }

    private void remove(Path directory) throws IOException {
        for (var file : assembly.disk().list(directory)) {
            if (file.directory()) {
                remove(directory.resolve(file.name()));
            } else {
                assembly.disk().delete(directory.resolve(file.name()));
            }
        }
        Files.deleteIfExists(directory);
    }

    /** Where journals of this volume are made: below the directory asked for, else beside the metadata. */
    Path journals(VolumeSpec spec, Optional<Writeback> writeback) {
        return writeback.flatMap(Writeback::directory)
                .map(place -> place.resolve(spec.id().toString()))
                .orElse(directory(spec).resolve("journal"));
    }

    /** How the metadata gets to the volume's part of its store. */
    Shipping shipping(VolumeSpec spec, RecordingEngine engine, BlockStore store) {
        return new Shipping(identity(spec), engine.engine(), store, clock, new ShipLock(directory(spec)));
    }

    static Identity identity(VolumeSpec spec) {
        return new Identity(spec.id(), Host.name(), Volumes.SPEC);
    }

    Path directory(VolumeSpec spec) {
        return directories().resolve(spec.id().toString());
    }

    /** Where the metadata of all volumes are, a directory each. */
    Path directories() {
        return home.state().resolve("volumes");
    }
}
