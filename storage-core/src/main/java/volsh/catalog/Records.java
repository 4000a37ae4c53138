package volsh.catalog;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.zip.CRC32C;
import volsh.block.StoreUrl;
import volsh.codec.Compression;
import volsh.crypt.WrappedKey;
import volsh.json.Fields;
import volsh.json.Json;
import volsh.place.LayoutPolicy;
import volsh.unit.ByteSize;

/** The catalog's records as JSON, each with the version of its form. */
public final class Records {
    /** The setting in the metadata of a volume that holds its record. */
    public static final String SPEC = "volume";

    private static final String FORM = "1";
    /** The form of a volume that is encrypted or has imported files, which earlier versions refuse. */
    private static final String FORM_2 = "2";
    private static final String SUM = "sum";
    private static final Set<String> EARLIER = Set.of("form", "name", "id", "store", "prefix", "blockSize",
            "compression", "inline", "profile", "labels", "created", "shipMetadata", "stores", "layout", "leaving",
            "chosen", "url", "pools");

    private Records() {}

    public static byte[] toBytes(VolumeSpec spec) throws IOException {
        var fields = new LinkedHashMap<String, Object>();
        fields.put("form", spec.encryption().isOn() || spec.hasImports() ? FORM_2 : FORM);
        fields.put("name", spec.name());
        fields.put("id", spec.id());
        fields.put("store", spec.store());
        fields.put("prefix", spec.prefix());
        fields.put("blockSize", spec.blockSize().exact());
        fields.put("compression", spec.compression());
        fields.put("inline", spec.inline().exact());
        fields.put("profile", spec.profile());
        fields.put("labels", new TreeMap<>(spec.labels()));
        fields.put("created", spec.created());
        fields.put("shipMetadata", spec.shipsMetadata() ? "on" : "off");
        if (!spec.spread().isNone()) {
            fields.put("stores", String.join(",", spec.spread().stores()));
            fields.put("layout", spec.spread().policy().orElse(LayoutPolicy.SINGLE));
            fields.put("leaving", String.join(",", new TreeSet<>(spec.spread().leaving())));
        }
        if (!spec.chosen().isEmpty()) {
            fields.put("chosen", String.join(",", spec.chosen()));
        }
        if (spec.encryption().isOn()) {
            fields.put("encryption", spec.encryption().state());
            fields.put("keys", spec.encryption().keys().stream().map(Records::toFields).toList());
        }
        return sealed(fields);
    }

    private static Map<String, Object> toFields(WrappedKey key) {
        var fields = new LinkedHashMap<String, Object>();
        fields.put("label", key.label());
        fields.put("iterations", (long) key.iterations());
        fields.put("salt", HexFormat.of().formatHex(key.salt()));
        fields.put("sealed", HexFormat.of().formatHex(key.sealed()));
        return fields;
    }

    private static VolumeEncryption encryption(Map<String, Object> fields) throws IOException {
        if (!fields.containsKey("encryption")) {
            return VolumeEncryption.NONE;
        }
        var keys = new ArrayList<WrappedKey>();
        for (var key : new Fields(fields).list("keys")) {
            keys.add(new WrappedKey(key.text("label"), Math.toIntExact(key.number("iterations")),
                    HexFormat.of().parseHex(key.text("salt")), HexFormat.of().parseHex(key.text("sealed"))));
        }
        return new VolumeEncryption(VolumeEncryption.State.valueOf(text(fields, "encryption")), keys);
    }

    private static StoreLayout spread(Map<String, Object> fields) {
        if (!(fields.get("stores") instanceof String stores)) {
            return StoreLayout.NONE;
        }
        var leaving = fields.get("leaving") instanceof String names ? StoreLayout.split(names) : List.<String>of();
        return new StoreLayout(StoreLayout.split(stores), Optional.of(LayoutPolicy.of(text(fields, "layout"))),
                Set.copyOf(leaving));
    }

    /** The catalog's entry of this name: what its file is called counts. */
    public static VolumeSpec volume(String name, byte[] bytes) throws IOException {
        return volume(bytes).renamed(name);
    }

    /** The volume as its metadata has it. */
    public static Optional<VolumeSpec> ofSetting(Optional<byte[]> value) throws IOException {
        return value.isEmpty() ? Optional.empty() : Optional.of(volume(value.get()));
    }

    public static VolumeSpec volume(byte[] bytes) throws IOException {
        var fields = sound(bytes);
        try {
            var labels = new TreeMap<String, String>();
            if (fields.get("labels") instanceof Map<?, ?> stored) {
                stored.forEach((key, value) -> labels.put(key.toString(), value.toString()));
            }
            return new VolumeSpec(
                    text(fields, "name"),
                    UUID.fromString(text(fields, "id")),
                    text(fields, "store"),
                    text(fields, "prefix"),
                    ByteSize.of(text(fields, "blockSize")),
                    Compression.of(text(fields, "compression")),
                    ByteSize.of(text(fields, "inline")),
                    fields.get("profile") instanceof String profile ? Profile.of(profile) : Profile.GENERAL,
                    labels,
                    Instant.parse(text(fields, "created")),
                    "on".equals(fields.get("shipMetadata")),
                    spread(fields),
                    fields.get("chosen") instanceof String chosen ? Set.copyOf(StoreLayout.split(chosen)) : Set.of(),
                    encryption(fields));
        } catch (RuntimeException nonsense) {
            throw new IOException("not a volume record: " + nonsense.getMessage(), nonsense);
        }
    }

    public static byte[] toBytes(StoreEntry entry) throws IOException {
        var fields = new LinkedHashMap<String, Object>();
        fields.put("form", FORM);
        fields.put("name", entry.name());
        fields.put("url", entry.url());
        if (!entry.pools().isEmpty()) {
            fields.put("pools", String.join(",", entry.pools()));
        }
        fields.put("created", entry.created());
        return sealed(fields);
    }

    public static StoreEntry store(String name, byte[] bytes) throws IOException {
        var fields = sound(bytes);
        try {
            return new StoreEntry(name, StoreUrl.of(text(fields, "url")), Instant.parse(text(fields, "created")),
                    fields.get("pools") instanceof String pools ? StoreLayout.split(pools) : List.of());
        } catch (RuntimeException nonsense) {
            throw new IOException("not a store record: " + nonsense.getMessage(), nonsense);
        }
    }

    /**
     * With a checksum of all of it: a changed digit would be a size like any other. Earlier versions do not look at it.
     */
    private static byte[] sealed(Map<String, Object> fields) throws IOException {
        fields.put(SUM, sum(fields));
        return Json.write(fields);
    }

    private static String sum(Map<String, Object> fields) throws IOException {
        var all = new LinkedHashMap<>(fields);
        all.remove(SUM);
        var sum = new CRC32C();
        sum.update(Json.write(all));
        return HexFormat.of().toHexDigits((int) sum.getValue());
    }

    /** What a record says. Those of earlier versions have no checksum, and only fields that those versions knew. */
    private static Map<String, Object> sound(byte[] bytes) throws IOException {
        var fields = Json.read(bytes).values();
        requireForm(fields);
        boolean sound = fields.containsKey(SUM) ? sum(fields).equals(fields.get(SUM))
                : EARLIER.containsAll(fields.keySet());
        if (!sound) {
            throw new IOException("it does not match its checksum");
        }
        return fields;
    }

    private static void requireForm(Map<String, Object> fields) throws IOException {
        if (!FORM.equals(fields.get("form")) && !FORM_2.equals(fields.get("form"))) {
            throw new IOException("record of form %s, this volsh knows %s and %s"
                    .formatted(fields.get("form"), FORM, FORM_2));
        }
    }

    private static String text(Map<String, Object> fields, String name) {
        if (fields.get(name) instanceof String text) {
            return text;
        }
        throw new IllegalArgumentException("field '%s' is missing".formatted(name));
    }
}
