package volsh.bucketfs;

import java.util.HashMap;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import volsh.fs.AttributeChange;
import volsh.fs.FileKind;
import volsh.fs.Owner;

/**
 * Mode, owner and time of a file in the metadata of its object, under the names and in the form that s3fs and rclone
 * use: {@code mode} as a decimal number with the kind, {@code uid}, {@code gid}, {@code mtime} in seconds.
 */
record MetadataAttributes(OptionalInt mode, OptionalInt uid, OptionalInt gid, OptionalLong mtime) {
    private static final Pattern NUMBER = Pattern.compile("\\d{1,10}");
    private static final Pattern SECONDS = Pattern.compile("(-?\\d{1,12})(?:\\.(\\d{1,9})\\d*)?");
    private static final String MTIME = "mtime";
    private static final long SECOND = 1_000_000_000L;

    static MetadataAttributes of(Map<String, String> metadata) {
        var mode = number(metadata.get("mode"));
        return new MetadataAttributes(mode.isPresent() ? OptionalInt.of(mode.getAsInt() & 07777) : mode,
                number(metadata.get("uid")), number(metadata.get("gid")), time(metadata.get(MTIME)));
    }

    private static OptionalInt number(@Nullable String text) {
        return text == null || !NUMBER.matcher(text).matches() ? OptionalInt.empty()
                : OptionalInt.of((int) Long.parseLong(text));
    }

    private static OptionalLong time(@Nullable String text) {
        if (text == null) {
            return OptionalLong.empty();
        }
        var parts = SECONDS.matcher(text);
        if (!parts.matches()) {
            return OptionalLong.empty();
        }
        long seconds = Math.clamp(Long.parseLong(parts.group(1)), -9_000_000_000L, 9_000_000_000L);
        String nanos = parts.group(2) == null ? "0" : (parts.group(2) + "000000000").substring(0, 9);
        return OptionalLong.of(seconds * SECOND + Long.parseLong(nanos));
    }

    /** For a new file or directory. */
    static Map<String, String> ofNew(FileKind kind, int mode, Owner owner, long mtime) {
        var metadata = new HashMap<String, String>();
        put(metadata, kind, OptionalInt.of(mode), OptionalInt.of(owner.uid()), OptionalInt.of(owner.gid()),
                OptionalLong.of(mtime));
        return metadata;
    }

    /** Metadata with a change. */
    static Map<String, String> changed(Map<String, String> metadata, FileKind kind, AttributeChange change) {
        var all = new HashMap<>(metadata);
        put(all, kind, change.mode(), change.uid(), change.gid(), change.mtime());
        return all;
    }

    /** Metadata that says nothing of a time. */
    static Map<String, String> untimed(Map<String, String> metadata) {
        var all = new HashMap<>(metadata);
        all.remove(MTIME);
        return all;
    }

    private static void put(Map<String, String> metadata, FileKind kind, OptionalInt mode, OptionalInt uid,
            OptionalInt gid, OptionalLong mtime) {
        mode.ifPresent(value -> metadata.put("mode", Integer.toString(kind.code() << 12 | value)));
        uid.ifPresent(value -> metadata.put("uid", Integer.toUnsignedString(value)));
        gid.ifPresent(value -> metadata.put("gid", Integer.toUnsignedString(value)));
        mtime.ifPresent(value -> metadata.put(MTIME, "%d.%09d".formatted(Math.floorDiv(value, SECOND),
                Math.floorMod(value, SECOND))));
    }
}
