package volsh.warm;

import java.util.List;

/**
 * The progress of a {@link Prefetch}, in names: {@code listed} are known so far, {@code opened} is the position of the
 * reader, {@code loaded} were loaded ahead of it, {@code late} were opened before that, {@code missing} lead to no
 * file. It accepts {@code wanted} more names now.
 */
public record PrefetchStatus(boolean over, long listed, long opened, long loaded, long late, long missing, int wanted) {
    public List<String> lines() {
        return List.of("%b %d %d %d %d %d %d".formatted(over, listed, opened, loaded, late, missing, wanted));
    }

    /** Parses the result of {@link #lines}. */
    public static PrefetchStatus parse(List<String> lines) {
        var words = lines.getFirst().split(" ");
        return new PrefetchStatus(Boolean.parseBoolean(words[0]), Long.parseLong(words[1]), Long.parseLong(words[2]),
                Long.parseLong(words[3]), Long.parseLong(words[4]), Long.parseLong(words[5]),
                Integer.parseInt(words[6]));
    }
}
