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
 * @param database where its metadata shall be; empty for this machine
 * @param spread   its stores, if there are several, the first of which is {@code store}; and its layout
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
        StoreLayout spread) {

    /** The store of those who name none. */
    public static final String STANDARD_STORE = DefaultStore.NAME;

    public VolumeDraft {
        VolumeSpec.requireName("volume", name);
        labels = Map.copyOf(labels);
    }

    /** With one store. */
    public VolumeDraft(String name, Optional<String> store, Optional<Profile> profile, Optional<ByteSize> blockSize,
            Optional<Compression> compression, Optional<ByteSize> inline, Map<String, String> labels, Optional<Boolean> shipsMetadata,
            Optional<PostgresUrl> database) {
        this(name, store, profile, blockSize, compression, inline, labels, shipsMetadata, database, StoreLayout.NONE);
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
        return new VolumeDraft(name, Optional.of(other.stores().getFirst()), profile, blockSize, compression, inline, labels, shipsMetadata,
                database, other);
    }

    /** A volume of this name with everything by default. */
    public static VolumeDraft named(String name) {
        return new VolumeDraft(name, Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(),
                Optional.empty(), Map.of(), Optional.empty(), Optional.empty());
    }

    public VolumeDraft withStore(String other) {
        return new VolumeDraft(name, Optional.of(other), profile, blockSize, compression, inline, labels, shipsMetadata, database, spread);
    }

    public VolumeDraft withProfile(Profile other) {
        return new VolumeDraft(name, store, Optional.of(other), blockSize, compression, inline, labels, shipsMetadata, database, spread);
    }

    public VolumeDraft withBlockSize(ByteSize other) {
        return new VolumeDraft(name, store, profile, Optional.of(other), compression, inline, labels, shipsMetadata, database, spread);
    }

    public VolumeDraft withCompression(Compression other) {
        return new VolumeDraft(name, store, profile, blockSize, Optional.of(other), inline, labels, shipsMetadata, database, spread);
    }

    public VolumeDraft withInline(ByteSize other) {
        return new VolumeDraft(name, store, profile, blockSize, compression, Optional.of(other), labels, shipsMetadata, database, spread);
    }

    public VolumeDraft withLabels(Map<String, String> others) {
        return new VolumeDraft(name, store, profile, blockSize, compression, inline, others, shipsMetadata, database, spread);
    }

    public VolumeDraft shippingMetadata(boolean ships) {
        return new VolumeDraft(name, store, profile, blockSize, compression, inline, labels, Optional.of(ships), database, spread);
    }

    /** With its metadata in this database; there it goes by its name unless the URL says another. */
    public VolumeDraft withDatabase(PostgresUrl url) {
        return new VolumeDraft(name, store, profile, blockSize, compression, inline, labels, shipsMetadata,
                Optional.of(url.volume().isEmpty() ? url.withVolume(name) : url), spread);
    }

    /** The block size asked for, by itself or through a profile; empty when any will do. */
    public Optional<ByteSize> wantedBlockSize() {
        return blockSize.or(() -> profile.map(Profile::blockSize));
    }
}
