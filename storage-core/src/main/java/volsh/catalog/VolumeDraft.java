package volsh.catalog;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import volsh.codec.Compression;
import volsh.engine.postgres.PostgresUrl;
import volsh.unit.ByteSize;

/**
 * What is asked of a new volume. What is left empty comes from the profile, and the store from the catalog's default.
 *
 * @param database where its metadata is kept; empty for this machine
 * @param spread   its stores, if there are several, the first of which is {@code store}; and its layout
 * @param limits   what it has from its first moment on and its specification does not say
 * @param key      with what its key is wrapped; empty if it is not encrypted
 */
public record VolumeDraft(
        String name,
        Optional<String> store,
        Optional<Profile> profile,
        Optional<ByteSize> blockSize,
        Optional<Compression> compression,
        Optional<ByteSize> inline,
        Map<String, String> labels,
        Optional<Boolean> shipsMetadata,
        Optional<PostgresUrl> database,
        StoreLayout spread,
        Limits limits,
        Optional<KeySource> key) {

    /** The store of a draft that names none. */
    public static final String STANDARD_STORE = DefaultStore.NAME;

    public VolumeDraft {
        VolumeSpec.requireName("volume", name);
        labels = Map.copyOf(labels);
    }

    /** For how long the volume keeps its history, and how many bytes it may hold; empty for none, and for no limit. */
    public record Limits(Optional<HistorySpan> retention, Optional<ByteSize> quota) {
        public static final Limits NONE = new Limits(Optional.empty(), Optional.empty());

        public Limits {
            if (quota.isPresent() && quota.get().bytes() == 0) {
                throw new IllegalArgumentException("a quota of 0 would forbid every write");
            }
        }
    }

    /** With one store. */
    public VolumeDraft(String name, Optional<String> store, Optional<Profile> profile, Optional<ByteSize> blockSize,
            Optional<Compression> compression, Optional<ByteSize> inline, Map<String, String> labels,
            Optional<Boolean> shipsMetadata, Optional<PostgresUrl> database) {
        this(name, store, profile, blockSize, compression, inline, labels, shipsMetadata, database, StoreLayout.NONE,
                Limits.NONE, Optional.empty());
    }

    /** The settings that are not left to the profile, as their options are called. */
    public Set<String> chosen() {
        var names = new TreeSet<String>();
        store.ifPresent(given -> names.add("store"));
        blockSize.ifPresent(given -> names.add("block-size"));
        compression.ifPresent(given -> names.add("compression"));
        inline.ifPresent(given -> names.add("inline"));
        shipsMetadata.ifPresent(given -> names.add("ship-metadata"));
        return names;
    }

    /** Over several stores, or with a layout. */
    public VolumeDraft withSpread(StoreLayout other) {
        return new VolumeDraft(name, Optional.of(other.stores().getFirst()), profile, blockSize, compression, inline,
                labels, shipsMetadata, database, other, limits, key);
    }

    /** A volume of this name with everything by default. */
    public static VolumeDraft named(String name) {
        return new VolumeDraft(name, Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(),
                Optional.empty(), Map.of(), Optional.empty(), Optional.empty());
    }

    public VolumeDraft withStore(String other) {
        return new VolumeDraft(name, Optional.of(other), profile, blockSize, compression, inline, labels,
                shipsMetadata, database, spread, limits, key);
    }

    public VolumeDraft withProfile(Profile other) {
        return new VolumeDraft(name, store, Optional.of(other), blockSize, compression, inline, labels,
                shipsMetadata, database, spread, limits, key);
    }

    public VolumeDraft withBlockSize(ByteSize other) {
        return new VolumeDraft(name, store, profile, Optional.of(other), compression, inline, labels,
                shipsMetadata, database, spread, limits, key);
    }

    public VolumeDraft withCompression(Compression other) {
        return new VolumeDraft(name, store, profile, blockSize, Optional.of(other), inline, labels,
                shipsMetadata, database, spread, limits, key);
    }

    public VolumeDraft withInline(ByteSize other) {
        return new VolumeDraft(name, store, profile, blockSize, compression, Optional.of(other), labels,
                shipsMetadata, database, spread, limits, key);
    }

    public VolumeDraft withLabels(Map<String, String> others) {
        return new VolumeDraft(name, store, profile, blockSize, compression, inline, others,
                shipsMetadata, database, spread, limits, key);
    }

    public VolumeDraft shippingMetadata(boolean ships) {
        return new VolumeDraft(name, store, profile, blockSize, compression, inline, labels,
                Optional.of(ships), database, spread, limits, key);
    }

    public VolumeDraft withRetention(HistorySpan retention) {
        return with(new Limits(Optional.of(retention), limits.quota()));
    }

    public VolumeDraft withQuota(ByteSize quota) {
        return with(new Limits(limits.retention(), Optional.of(quota)));
    }

    /** Encrypted, with its key wrapped so. */
    public VolumeDraft encrypted(KeySource source) {
        return new VolumeDraft(name, store, profile, blockSize, compression, inline, labels,
                shipsMetadata, database, spread, limits, Optional.of(source));
    }

    private VolumeDraft with(Limits others) {
        return new VolumeDraft(name, store, profile, blockSize, compression, inline, labels,
                shipsMetadata, database, spread, others, key);
    }

    /** With its metadata in this database; there it goes by its name unless the URL says another. */
    public VolumeDraft withDatabase(PostgresUrl url) {
        return new VolumeDraft(name, store, profile, blockSize, compression, inline, labels, shipsMetadata,
                Optional.of(url.volume().isEmpty() ? url.withVolume(name) : url), spread, limits, key);
    }

    /** The block size asked for, by itself or through a profile; empty when any will do. */
    public Optional<ByteSize> wantedBlockSize() {
        return blockSize.or(() -> profile.map(Profile::blockSize));
    }
}
