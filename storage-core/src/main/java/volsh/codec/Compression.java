package volsh.codec;

/** How the frames of new blocks are compressed. May change at any time: every frame says how it was written. */
public sealed interface Compression {
    /** Stored as they are. */
    record None() implements Compression {
        @Override
        public String toString() {
            return "none";
        }
    }

    /** Fast, modest. */
    record Lz4() implements Compression {
        @Override
        public String toString() {
            return "lz4";
        }
    }

    /** Tighter; the higher the level (1 to 19), the slower to write. Reading costs the same at every level. */
    record Zstd(int level) implements Compression {
        private static final int DEFAULT_LEVEL = 3;

        public Zstd {
            if (level < 1 || level > 19) {
                throw new IllegalArgumentException("zstd levels are 1 to 19: " + level);
            }
        }

        @Override
        public String toString() {
            return "zstd:" + level;
        }
    }

    /** Reads {@code none}, {@code lz4}, {@code zstd} or {@code zstd:LEVEL}. */
    static Compression of(String text) {
        return switch (text) {
            case "none" -> new None();
            case "lz4" -> new Lz4();
            case "zstd" -> new Zstd(Zstd.DEFAULT_LEVEL);
            default -> {
                if (!text.matches("zstd:(1?[1-9]|10)")) {
                    throw new IllegalArgumentException(
                            "not a compression: '%s' (try none, lz4 or zstd:3)".formatted(text));
                }
                yield new Zstd(Integer.parseInt(text.substring("zstd:".length())));
            }
        };
    }
}
