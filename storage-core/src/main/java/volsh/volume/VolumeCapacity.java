package volsh.volume;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;
import volsh.assembly.Assembly;
import volsh.assembly.Stores;
import volsh.assembly.VolumeParts;
import volsh.assembly.VolumeSpace;
import volsh.catalog.Access;
import volsh.catalog.VolumeSpec;
import volsh.fs.DiskSpace;
import volsh.meta.Quotas;

/** How much can still be written to volumes. */
public final class VolumeCapacity {
    /** A database with this many reusable bytes has room for what programs write, although the disk is full. */
    public static final long REUSED = 256 << 10;

    private final VolumeRegistry volumes;
    private final VolumeParts parts;
    private final Stores stores;
    private final Assembly assembly;
    private final VolumeOpener opener;

    VolumeCapacity(VolumeRegistry volumes, VolumeParts parts, Stores stores, Assembly assembly, VolumeOpener opener) {
        this.volumes = volumes;
        this.parts = parts;
        this.stores = stores;
        this.assembly = assembly;
        this.opener = opener;
    }

    /** How many bytes of files the volume can still take, by its layout and its stores; empty if that is unknown. */
    public OptionalLong free(VolumeSpec spec) throws IOException {
        return VolumeSpace.of(spec, stores, assembly);
    }

    /**
     * Whether writes are refused because the disk with the metadata is full, and the database has no room inside that
     * removed rows left.
     */
    public boolean isMetadataFull(Volume volume) throws IOException {
        return parts.database(volume.spec()).isEmpty() && DiskSpace.of(metadataDirectory(volume.spec())).isFull()
                && volume.reusableBytes() < REUSED;
    }

    /** Where the metadata of a volume is on this machine. */
    public Path metadataDirectory(VolumeSpec spec) {
        return parts.directory(spec);
    }

    /** How much can still be written to the volume, or, with a path, below it. */
    public Writable writable(String name, Optional<String> path) throws IOException {
        var stores = free(volumes.find(name));
        try (var volume = opener.open(OpeningRequest.of(name, Access.NAMES, "df"))) {
            var free = isMetadataFull(volume) ? OptionalLong.of(0) : stores;
            var quotas = volume.quotas();
            var around = path.isEmpty() ? Optional.<Quotas.Status>empty()
                    : quotas.around(volume.paths().resolve(path.get()).ino());
            return Writable.of(free, quotas.ofVolume(), around);
        }
    }

    /** How many bytes of metadata the volume can write without more disk space. */
    public long reusableBytes(String name) throws IOException {
        try (var engine = parts.openMetadata(volumes.find(name))) {
            return engine.reusableBytes();
        }
    }
}
