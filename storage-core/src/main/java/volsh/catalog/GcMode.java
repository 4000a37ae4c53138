package volsh.catalog;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;

/** Whether mounts collect the garbage of a volume, or people do. */
public enum GcMode {
    /** Its mounts, in the background, one of them at a time; and {@code volume gc}. */
    AUTO,
    /** Only {@code volume gc}. */
    MANUAL;

    public static final String SETTING = "gc";

    public static GcMode parse(Optional<byte[]> setting) {
        return setting.map(bytes -> of(new String(bytes, StandardCharsets.UTF_8))).orElse(AUTO);
    }

    public byte[] toBytes() {
        return toString().getBytes(StandardCharsets.UTF_8);
    }

    /** @throws IllegalArgumentException unless it is auto or manual */
    public static GcMode of(String text) {
        return switch (text) {
            case "auto" -> AUTO;
            case "manual" -> MANUAL;
            default -> throw new IllegalArgumentException("gc is auto or manual, not '%s'".formatted(text));
        };
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
