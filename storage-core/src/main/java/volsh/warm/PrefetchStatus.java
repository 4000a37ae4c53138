package volsh.warm;

import java.util.List;

/**
 * How far a {@link Prefetch} is, in names: {@code listed} are known so far, {@code opened} is how far the reader came, {@code loaded}
 * were loaded ahead of him, {@code late} he opened before they could be, {@code missing} lead to no file. It takes {@code wanted} names
 * more now.
 */
public record PrefetchStatus(boolean over, long listed, long opened, long loaded, long late, long missing, int wanted) {
    public List<String> lines() {
        return List.of("%b %d %d %d %d %d %d".formatted(over, listed, opened, loaded, late, missing, wanted));
    }

    /** What {@link #lines} said. */
    public static PrefetchStatus parse(List<String> lines) {
        var words = lines.getFirst().split(" ");
        return new PrefetchStatus(Boolean.parseBoolean(words[0]), Long.parseLong(words[1]), Long.parseLong(words[2]), Long.parseLong(words[3]),
                Long.parseLong(words[4]), Long.parseLong(words[5]), Integer.parseInt(words[6]));
    }
}
