package volsh.fs;

import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** How a file will be read: what mounts load ahead of its readers, and keep behind them. */
public enum Advice {
    /** Readers tell by how they read. */
    NORMAL,
    /** From its beginning to its end, once: much is loaded ahead at once, and nothing is kept behind. */
    SEQUENTIAL,
    /** In any order: nothing is loaded but what is asked for. */
    RANDOM;

    /** @throws IllegalArgumentException listing the valid ones */
    public static Advice of(String text) {
        return Stream.of(values()).filter(each -> each.toString().equals(text)).findFirst()
                .orElseThrow(() -> new IllegalArgumentException("unknown advice: '%s' (try %s)".formatted(text,
                        Stream.of(values()).map(Advice::toString).collect(Collectors.joining(", ")))));
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
