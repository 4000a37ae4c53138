package volsh.tree;

import java.math.BigDecimal;
import java.util.Map;
import java.util.OptionalLong;
import java.util.regex.Pattern;

/** The modification time of a file, kept with its copy in a bucket in seconds, as other programs keep it. */
final class OriginalTime {
    private static final String NAME = "mtime";
    private static final Pattern SECONDS = Pattern.compile("\\d{1,10}(\\.\\d{1,9})?");

    private OriginalTime() {}

    static Map<String, String> of(long nanos) {
        return nanos < 0 ? Map.of() : Map.of(NAME, BigDecimal.valueOf(nanos, 9).stripTrailingZeros().toPlainString());
    }

    static OptionalLong in(Map<String, String> metadata) {
        String text = metadata.getOrDefault(NAME, "");
        return SECONDS.matcher(text).matches()
                ? OptionalLong.of(new BigDecimal(text).movePointRight(9).longValueExact()) : OptionalLong.empty();
    }
}
