package volsh.catalog;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * How long what files below a path of a volume consist of may stay in cache directories, wherever the volume is
 * mounted. Pins are stronger.
 */
public record CacheLifetime(String path, Duration time) {
    /** The setting of a volume that has them: a line each, milliseconds and path. */
    public static final String SETTING = "cache-lifetimes";
    private static final Duration TIME_MIN = Duration.ofSeconds(1);

    public CacheLifetime {
        if (!path.startsWith("/") || path.indexOf('\n') >= 0) {
            throw new IllegalArgumentException("a path with a lifetime begins with / and is one line: '%s'"
                    .formatted(path));
        }
        if (time.compareTo(TIME_MIN) < 0) {
            throw new IllegalArgumentException("data stays in a cache for a second at least: " + time);
        }
    }

    public static List<CacheLifetime> parse(Optional<byte[]> setting) {
        return setting.map(bytes -> new String(bytes, StandardCharsets.UTF_8)).orElse("").lines()
                .map(line -> line.split(" ", 2))
                .map(words -> new CacheLifetime(words[1], Duration.ofMillis(Long.parseLong(words[0])))).toList();
    }

    public static byte[] toBytes(List<CacheLifetime> all) {
        return String.join("\n", all.stream().map(each -> each.time.toMillis() + " " + each.path).toList())
                .getBytes(StandardCharsets.UTF_8);
    }

    /** These with the one of this path replaced, or, if there is none, removed. */
    public static List<CacheLifetime> with(List<CacheLifetime> all, String path, Optional<Duration> time) {
        var changed = new ArrayList<>(all);
        changed.removeIf(each -> each.path.equals(path));
        time.ifPresent(given -> changed.add(new CacheLifetime(path, given)));
        return changed;
    }
}
