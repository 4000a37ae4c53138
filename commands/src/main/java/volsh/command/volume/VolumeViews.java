package volsh.command.volume;

import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import volsh.catalog.Setting;
import volsh.catalog.VolumeSpec;
import volsh.codec.Compression;
import volsh.command.Session;
import volsh.command.render.Columns;
import volsh.inventory.VolumeUsage;
import volsh.unit.ByteSize;
import volsh.volume.VolumeStatus;

/** Views of volumes that commands share. */
final class VolumeViews {
    static final Columns<Setting> SETTINGS = Columns.of(Setting.class)
            .text("setting", Setting::name)
            .text("value", Setting::value)
            .text("from", Setting::origin)
            .text("changes", setting -> setting.forLife() ? "never" : "any time")
            .text("reason", Setting::reason);

    private VolumeViews() {}

    /** The settings of a volume. */
    static <T> Columns<T> spec(Columns<T> columns, Function<T, VolumeSpec> spec) {
        return columns
                .text("store", row -> String.join(",", spec.apply(row).stores()))
                .text("layout", row -> spec.apply(row).spread().policy().map(Object::toString).orElse(null)).wide()
                .bytes("blockSize", row -> spec.apply(row).blockSize())
                .text("compression", row -> spec.apply(row).compression().toString())
                .bytes("inline", row -> spec.apply(row).inline()).wide()
                .text("profile", row -> spec.apply(row).profile()).wide()
                .text("labels", row -> spec.apply(row).labels()).wide()
                .text("encryption", row -> spec.apply(row).encryption().isOn() ? "on" : "off").wide()
                .text("id", row -> spec.apply(row).id()).wide()
                .text("prefix", row -> spec.apply(row).prefix()).wide()
                .time("created", row -> spec.apply(row).created());
    }

    /** The usage of a volume; files are without directories, and inodes with them, but without the root. */
    static <T> Columns<T> usage(Columns<T> columns, Function<T, Optional<VolumeStatus>> status) {
        return stored(columns
                .bytes("used",
                        row -> status.apply(row).flatMap(VolumeViews::usage).map(VolumeUsage::bytes).orElse(null))
                .number("files", row -> status.apply(row).map(VolumeViews::files).orElse(null))
                .number("inodes", row -> status.apply(row).flatMap(VolumeViews::usage).map(VolumeViews::inodes)
                        .orElse(null)).wide(), status);
    }

    /** Empty if the token of this machine hides it. */
    static Optional<VolumeUsage> usage(VolumeStatus status) {
        return Optional.of(status.usage()).filter(VolumeUsage::isKnown);
    }

    /** Null if an earlier volsh made the volume, and did not count its directories. */
    static @Nullable Long files(VolumeStatus status) {
        return status.files().isPresent() ? status.files().getAsLong() : null;
    }

    static long inodes(VolumeUsage usage) {
        return Math.max(0, usage.inodes() - 1);
    }

    /** The usage of its stores. */
    static <T> Columns<T> stored(Columns<T> columns, Function<T, Optional<VolumeStatus>> looked) {
        Function<T, Optional<VolumeStatus>> status = row -> looked.apply(row).filter(now -> now.usage().isKnown());
        return columns
                .bytes("stored", row -> status.apply(row).map(VolumeStatus::storedBytes).orElse(null))
                .bytes("imported", row -> status.apply(row).map(VolumeStatus::importedBytes)
                        .filter(bytes -> bytes > 0).orElse(null)).wide()
                .number("ratio", row -> status.apply(row).map(VolumeViews::ratio).orElse(null))
                .bytes("reclaimable", row -> status.apply(row).map(now -> now.reclaimable().bytes()).orElse(null))
                .number("reclaimableBlocks",
                        row -> status.apply(row).map(now -> now.reclaimable().blocks()).orElse(null)).wide()
                .text("reclaimableMore", row -> status.apply(row).map(now -> now.reclaimable().more()).orElse(null))
                .wide()
                .time("reclaimableSince",
                        row -> status.apply(row).flatMap(now -> now.reclaimable().since()).orElse(null)).wide();
    }

    /** Reports where a table counts only a part. */
    static void tellMore(Session session, VolumeStatus status) {
        if (status.reclaimable().more()) {
            session.say("volume '%s' has more than %s to reclaim: volsh volume gc %s".formatted(status.spec().name(),
                    new ByteSize(status.reclaimable().bytes()), status.spec().name()));
        }
    }

    /** Bytes of files per byte of their blocks; null for an empty volume. */
    private static @Nullable Double ratio(VolumeStatus status) {
        long stored = status.usage().storedBytes() - status.reclaimable().counted();
        long own = status.usage().bytes() - status.importedBytes();
        return stored <= 0 || own < 0 ? null : Math.round(100.0 * own / stored) / 100.0;
    }

    /** A summary, such as {@code 4MiB blocks, lz4, store lake}. */
    static String summary(VolumeSpec spec) {
        String compression = spec.compression() instanceof Compression.None ? "not compressed"
                : spec.compression().toString();
        var policy = spec.spread().policy();
        return "%s blocks, %s, %s %s%s".formatted(spec.blockSize(), compression, spec.stores().size() == 1
                ? "store" : "stores", String.join(",", spec.stores()), policy.map(layout -> ", " + layout).orElse(""));
    }

    static String quoted(String name) {
        return "volume '" + name + "'";
    }
}
