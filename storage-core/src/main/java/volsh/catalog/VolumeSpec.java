package volsh.catalog;

import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.regex.Pattern;
import volsh.codec.Compression;
import volsh.unit.ByteSize;

/**
 * The record of a volume. Identity, block size and place never change; name, compression, inline limit and labels may,
 * and apply to what is written from then on. The profile is that of its creation: it explains the settings.
 *
 * @param shipsMetadata whether its metadata is in its store too, so that it can be attached on another machine
 * @param spread        its stores and layout, if it has more than one store
 * @param chosen        the settings that were chosen by hand, whatever the profile has; empty for volumes made before
 *                      this was recorded
 * @param encryption    whether its blocks are encrypted, and its wrapped key
 */
public record VolumeSpec(
        String name,
        UUID id,
        String store,
        String prefix,
        ByteSize blockSize,
        Compression compression,
        ByteSize inline,
        Profile profile,
        Map<String, String> labels,
        Instant created,
        boolean shipsMetadata,
        StoreLayout spread,
        Set<String> chosen,
        VolumeEncryption encryption) {

    private static final String IMPORTS = "imports";
    private static final Pattern NAME = Pattern.compile("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?");
    private static final Pattern LABEL = Pattern.compile("[A-Za-z0-9]([A-Za-z0-9._/-]{0,61}[A-Za-z0-9])?");
    private static final long BLOCK_MIN = 64 * ByteSize.KIB;
    private static final long BLOCK_MAX = 16 * ByteSize.MIB;
    private static final long INLINE_MAX = 64 * ByteSize.KIB;

    public VolumeSpec {
        requireName("volume", name);
        if (Long.bitCount(blockSize.bytes()) != 1 || blockSize.bytes() < BLOCK_MIN || blockSize.bytes() > BLOCK_MAX) {
            throw new IllegalArgumentException("block size must be a power of two from 64KiB to 16MiB: " + blockSize);
        }
        if (inline.bytes() > INLINE_MAX) {
            throw new IllegalArgumentException("files of at most 64KiB can be kept inline: " + inline);
        }
        if (encryption.isOn() && inline.bytes() > 0) {
            throw new IllegalArgumentException(
                    "files of an encrypted volume cannot be kept inline, because metadata is not encrypted");
        }
        labels.forEach(VolumeSpec::requireLabel);
        labels = Collections.unmodifiableSortedMap(new TreeMap<>(labels));
        chosen = Collections.unmodifiableSortedSet(new TreeSet<>(chosen));
    }

    /** Not encrypted. */
    public VolumeSpec(String name, UUID id, String store, String prefix, ByteSize blockSize, Compression compression,
            ByteSize inline, Profile profile, Map<String, String> labels, Instant created, boolean shipsMetadata,
            StoreLayout spread, Set<String> chosen) {
        this(name, id, store, prefix, blockSize, compression, inline, profile, labels, created, shipsMetadata, spread,
                chosen, VolumeEncryption.NONE);
    }

    /** Without a record of which settings were chosen by hand. */
    public VolumeSpec(String name, UUID id, String store, String prefix, ByteSize blockSize, Compression compression,
            ByteSize inline, Profile profile, Map<String, String> labels, Instant created, boolean shipsMetadata,
            StoreLayout spread) {
        this(name, id, store, prefix, blockSize, compression, inline, profile, labels, created, shipsMetadata, spread,
                Set.of());
    }

    /** With one store. */
    public VolumeSpec(String name, UUID id, String store, String prefix, ByteSize blockSize, Compression compression,
            ByteSize inline, Profile profile, Map<String, String> labels, Instant created, boolean shipsMetadata) {
        this(name, id, store, prefix, blockSize, compression, inline, profile, labels, created, shipsMetadata,
                StoreLayout.NONE);
    }

    /** All stores that have something of this volume. */
    public List<String> stores() {
        return spread.isNone() ? List.of(store)
                : spread.stores().stream().filter(each -> !each.equals(StoreLayout.VACANT)).toList();
    }

    public VolumeSpec spread(StoreLayout newSpread) {
        return new VolumeSpec(name, id, store, prefix, blockSize, compression, inline, profile, labels, created,
                shipsMetadata, newSpread, chosen, encryption);
    }

    /** Encrypted so. */
    public VolumeSpec encrypted(VolumeEncryption newEncryption) {
        return new VolumeSpec(name, id, store, prefix, blockSize, compression, inline, profile, labels, created,
                shipsMetadata, spread, chosen, newEncryption);
    }

    /** @throws IllegalArgumentException unless the text can name a volume or store */
    public static void requireName(String what, String name) {
        if (!NAME.matcher(name).matches()) {
            String near = name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-").replaceAll("^-|-$", "");
            throw new IllegalArgumentException(
                    "not a %s name: '%s' (%s1 to 63 lower case letters, digits and dashes, no dash at either end)"
                            .formatted(what, name,
                                    NAME.matcher(near).matches() ? "did you mean '%s'? ".formatted(near) : ""));
        }
    }

    private static void requireLabel(String key, String value) {
        if (!LABEL.matcher(key).matches() || value.length() > 256 || value.chars().anyMatch(Character::isISOControl)) {
            throw new IllegalArgumentException("not a label: '%s=%s' (try tier=gold)".formatted(key, value));
        }
    }

    /** Whether the other is the same volume in everything that is for life. */
    public boolean sameForLife(VolumeSpec other) {
        return id.equals(other.id) && store.equals(other.store) && prefix.equals(other.prefix)
                && blockSize.equals(other.blockSize);
    }

    public VolumeSpec renamed(String newName) {
        return new VolumeSpec(newName, id, store, prefix, blockSize, compression, inline, profile, labels, created,
                shipsMetadata, spread, chosen, encryption);
    }

    /** What is written from now on is compressed so. */
    public VolumeSpec with(Compression newCompression) {
        return new VolumeSpec(name, id, store, prefix, blockSize, newCompression, inline, profile, labels, created,
                shipsMetadata, spread, chosen("compression", !newCompression.equals(compression)), encryption);
    }

    /** Files up to this size will be kept beside their metadata. */
    public VolumeSpec withInline(ByteSize newInline) {
        return new VolumeSpec(name, id, store, prefix, blockSize, compression, newInline, profile, labels, created,
                shipsMetadata, spread, chosen("inline", !newInline.equals(inline)), encryption);
    }

    /** With its metadata in its store too, or not. */
    public VolumeSpec shippingMetadata(boolean ships) {
        return new VolumeSpec(name, id, store, prefix, blockSize, compression, inline, profile, labels, created, ships,
                spread, chosen("ship-metadata", ships != shipsMetadata), encryption);
    }

    /** Whether files of it were ever imported: earlier versions of volsh cannot read these. */
    public boolean hasImports() {
        return chosen.contains(IMPORTS);
    }

    /** The same volume, with imported files. */
    public VolumeSpec withImports() {
        return new VolumeSpec(name, id, store, prefix, blockSize, compression, inline, profile, labels, created,
                shipsMetadata, spread, chosen(IMPORTS, true), encryption);
    }

    private Set<String> chosen(String setting, boolean changed) {
        var more = new TreeSet<>(chosen);
        if (changed) {
            more.add(setting);
        }
        return more;
    }

    /** The same volume where its store goes by this name. */
    public VolumeSpec in(String newStore) {
        return new VolumeSpec(name, id, newStore, prefix, blockSize, compression, inline, profile, labels, created,
                shipsMetadata, spread.first(newStore), chosen, encryption);
    }

    /** The same for any of its stores, by number. */
    public VolumeSpec in(int number, String newStore) {
        return number == 1 ? in(newStore) : spread(spread.named(number, newStore));
    }

    /** With the label set; an empty value removes it. */
    public VolumeSpec withLabel(String key, String value) {
        var changed = new TreeMap<>(labels);
        if (value.isEmpty()) {
            changed.remove(key);
        } else {
            changed.put(key, value);
        }
        return new VolumeSpec(name, id, store, prefix, blockSize, compression, inline, profile, changed, created,
                shipsMetadata, spread, chosen, encryption);
    }
}
