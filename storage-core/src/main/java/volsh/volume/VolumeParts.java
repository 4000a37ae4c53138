package volsh.volume;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import volsh.block.BlockStore;
import volsh.meta.Journals;
import volsh.meta.MetaEngine;
import volsh.volume.Refusal.Reason;

/** What a volume consists of: a directory with its metadata in the home, and its part of a store. */
final class VolumeParts {
    private final Home home;
    private final Assembly assembly;
    private final Stores stores;

    VolumeParts(Home home, Assembly assembly, Stores stores) {
        this.home = home;
        this.assembly = assembly;
        this.stores = stores;
    }

    BlockStore openStore(VolumeSpec spec) throws IOException {
        return assembly.store(stores.find(spec.store()).url(), spec.prefix());
    }

    /** Removes the empty directories that a file store keeps. */
    void tidyStore(VolumeSpec spec) throws IOException {
        assembly.tidy(stores.find(spec.store()).url(), spec.prefix());
    }

    MetaEngine createMetadata(VolumeSpec spec) throws IOException {
        assembly.disk().makeDirectories(directory(spec));
        return assembly.createMetadata(directory(spec));
    }

    /** @throws Refusal UNAVAILABLE if the file is gone */
    MetaEngine openMetadata(VolumeSpec spec) throws IOException {
        try {
            return assembly.openMetadata(directory(spec));
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

    /** Removes what processes of this host staged of it. Without metadata nobody knows where that is. */
    void removeJournals(VolumeSpec spec) throws IOException {
        try (var engine = openMetadata(spec)) {
            for (var row : new Journals(engine).list()) {
                if (row.host().equals(Host.name())) {
                    remove(Path.of(row.directory()));
                }
            }
        } catch (Refusal gone) {
            // see above
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

    private Path directory(VolumeSpec spec) {
        return home.state().resolve("volumes").resolve(spec.id().toString());
    }
}
