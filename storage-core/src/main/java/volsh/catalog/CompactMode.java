package volsh.catalog;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;

/** Whether mounts store the small files of a volume together, or people do. */
public enum CompactMode {
    /** Its mounts, in the background, one of them at a time; and {@code volume compact}. */
    AUTO,
    /** Only {@code volume compact}. */
    MANUAL;

    public static final String SETTING = "compact";

    public static CompactMode parse(Optional<byte[]> setting) {
        return setting.map(bytes -> of(new String(bytes, StandardCharsets.UTF_8))).orElse(AUTO);
    }

    public byte[] toBytes() {
        return toString().getBytes(StandardCharsets.UTF_8);
    }

    /** @throws IllegalArgumentException unless it is auto or manual */
    public static CompactMode of(String text) {
        return switch (text) {
            case "auto" -> AUTO;
            case "manual" -> MANUAL;
            default -> throw new IllegalArgumentException("compact is auto or manual, not '%s'".formatted(text));
        };
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
