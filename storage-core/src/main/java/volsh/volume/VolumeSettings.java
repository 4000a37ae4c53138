package volsh.volume;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import volsh.assembly.ShippingSwitch;
import volsh.assembly.VolumeParts;
import volsh.catalog.CacheLifetime;
import volsh.catalog.CompactMode;
import volsh.catalog.GcMode;
import volsh.catalog.KnownCaches;
import volsh.catalog.VolumeSpec;
import volsh.inventory.Superblock;

/** Settings that mounts of a volume follow: whether they collect garbage, and for how long their caches keep data. */
public final class VolumeSettings {
    private final VolumeRegistry volumes;
    private final VolumeParts parts;
    private final KnownCaches caches;
    private final KeyControl keys;
    private final InstantSource clock;

    VolumeSettings(VolumeRegistry volumes, VolumeParts parts, KnownCaches caches, KeyControl keys,
            InstantSource clock) {
        this.volumes = volumes;
        this.parts = parts;
        this.caches = caches;
        this.keys = keys;
        this.clock = clock;
    }

    /** The keys of encrypted volumes. */
    public KeyControl keys() {
        return keys;
    }

    /** Whether mounts collect the garbage of a volume. */
    public GcMode gcMode(String name) throws IOException {
        try (var engine = parts.openMetadata(volumes.find(name))) {
            return new Superblock(engine, clock).setting(GcMode.SETTING, GcMode::parse);
        }
    }

    /** Sets whether mounts do; they follow when they next look. */
    public void setGcMode(String name, GcMode mode) throws IOException {
        set(name, GcMode.SETTING, mode.toBytes());
    }

    /** Whether mounts store the small files of a volume together. */
    public CompactMode compactMode(String name) throws IOException {
        try (var engine = parts.openMetadata(volumes.find(name))) {
            return new Superblock(engine, clock).setting(CompactMode.SETTING, CompactMode::parse);
        }
    }

    /** Sets whether mounts do; they follow when they next look. */
    public void setCompactMode(String name, CompactMode mode) throws IOException {
        set(name, CompactMode.SETTING, mode.toBytes());
    }

    private void set(String name, String setting, byte[] value) throws IOException {
        var spec = volumes.find(name);
        volumes.requireHere(spec);
        try (var engine = parts.openMetadata(spec)) {
            new Superblock(engine, clock).set(setting, value);
            engine.sync();
            new ShippingSwitch(parts).shipOrWarn(spec, engine);
        }
    }

    /** For how long data of files below certain paths stays in cache directories. */
    public List<CacheLifetime> cacheLifetimes(String name) throws IOException {
        try (var engine = parts.openMetadata(volumes.find(name))) {
            return new Superblock(engine, clock).setting(CacheLifetime.SETTING, CacheLifetime::parse);
        }
    }

    /** Sets for how long data of files below a path stays in cache directories; without a time, while there is room. */
    public void setCacheLifetime(String name, String path, Optional<Duration> time) throws IOException {
        var spec = volumes.find(name);
        volumes.requireHere(spec);
        try (var engine = parts.openMetadata(spec)) {
            new Superblock(engine, clock).change(CacheLifetime.SETTING, before -> Optional.of(
                    CacheLifetime.toBytes(CacheLifetime.with(CacheLifetime.parse(before), path, time))));
            engine.sync();
            new ShippingSwitch(parts).shipOrWarn(spec, engine);
        }
    }

    /** The directories of this machine that were ever used as a cache of this volume. */
    public List<Path> cacheDirectories(VolumeSpec spec) throws IOException {
        return caches.of(spec.id());
    }
}
