package volsh.warm;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import volsh.unit.Rate;
import volsh.unit.Span;

/** A request about the cached data of some paths of a volume. Sent as words to the process that carries it out. */
public sealed interface Wish {
    /** Absolute paths within the volume, at least one. */
    List<String> paths();

    /**
     * Load them, {@code parallel} blocks at a time and no faster than {@code limit}; optionally pin them first and
     * verify them afterwards.
     */
    record Warm(List<String> paths, int parallel, Optional<Rate> limit, boolean verify, Optional<Terms> pin)
            implements Wish {
        public static final int PARALLEL_MAX = 64;

        public Warm {
            paths = requirePaths(paths);
            if (parallel < 1 || parallel > PARALLEL_MAX) {
                throw new IllegalArgumentException("%d blocks at a time: at least 1, at most %d"
                        .formatted(parallel, PARALLEL_MAX));
            }
        }
    }

    /** Pin their current blocks. */
    record Hold(List<String> paths, Terms terms) implements Wish {
        public Hold {
            paths = requirePaths(paths);
        }
    }

    /** Evict them, except what is pinned. */
    record Evict(List<String> paths) implements Wish {
        public Evict {
            paths = requirePaths(paths);
        }
    }

    /** For how long blocks are pinned, and whether they leave the cache then. */
    record Terms(Optional<Duration> expires, boolean drops) {
        public Terms {
            if (drops && expires.isEmpty()) {
                throw new IllegalArgumentException("a pin can only be dropped when it expires");
            }
        }

        private List<String> words() {
            return List.of(expires.map(time -> new Span(time).toString()).orElse("never"), drops ? "drop" : "leave");
        }

        private static Terms of(String expires, String drops) {
            return new Terms(expires.equals("never") ? Optional.empty() : Optional.of(Span.of(expires).duration()),
                    drops.equals("drop"));
        }
    }

    private static List<String> requirePaths(List<String> paths) {
        if (paths.isEmpty()) {
            throw new IllegalArgumentException("no path given");
        }
        return List.copyOf(paths);
    }

    default List<String> words() {
        var words = new ArrayList<String>();
        switch (this) {
            case Warm warm -> {
                words.addAll(List.of("warm", Integer.toString(warm.parallel()), warm.limit().map(Rate::exact)
                        .orElse("none"), warm.verify() ? "verify" : "trust", warm.pin().isPresent() ? "pin" : "free"));
                words.addAll(warm.pin().orElse(new Terms(Optional.empty(), false)).words());
            }
            case Hold hold -> {
                words.add("hold");
                words.addAll(hold.terms().words());
            }
            case Evict _ -> words.add("evict");
        }
        words.addAll(paths());
        return words;
    }

    /** @throws IllegalArgumentException unless these are the words of a request */
    static Wish of(List<String> words) {
        var kind = words.isEmpty() ? "" : words.getFirst();
        return switch (kind) {
            case "warm" -> new Warm(words.subList(7, words.size()), Integer.parseInt(words.get(1)),
                    words.get(2).equals("none") ? Optional.empty() : Optional.of(Rate.of(words.get(2))),
                    words.get(3).equals("verify"),
                    words.get(4).equals("pin") ? Optional.of(Terms.of(words.get(5), words.get(6))) : Optional.empty());
            case "hold" -> new Hold(words.subList(3, words.size()), Terms.of(words.get(1), words.get(2)));
            case "evict" -> new Evict(words.subList(1, words.size()));
            default -> throw new IllegalArgumentException("not a cache request: " + words);
        };
    }
}
