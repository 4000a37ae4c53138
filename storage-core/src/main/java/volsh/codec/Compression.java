package volsh.codec;

/** How the frames of new blocks are compressed. May change at any time: every frame says how it was written. */
public sealed interface Compression {
    /** No compression. */
    record None() implements Compression {
        @Override
        public String toString() {
            return "none";
        }
    }

    /** Fast, with a modest ratio. */
    record Lz4() implements Compression {
        @Override
        public String toString() {
            return "lz4";
        }
    }

    /** Smaller; a higher level (1 to 19) is slower to write. Reading costs the same at every level. */
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

    /**
     * zstd, and for bytes that look like numbers of two or four bytes, each byte position by itself: smaller for
     * weights that are floats, and slower. A higher level is slower to write; level 1 is the best one for most weights.
     */
    record Planes(int level) implements Compression {
        private static final int DEFAULT_LEVEL = 1;

        public Planes {
            if (level < 1 || level > 19) {
                throw new IllegalArgumentException("levels of planes are 1 to 19: " + level);
            }
        }

        @Override
        public String toString() {
            return "planes:" + level;
        }
    }

    /** Reads {@code none}, {@code lz4}, {@code zstd}, {@code zstd:LEVEL}, {@code planes} or {@code planes:LEVEL}. */
    static Compression of(String text) {
        return switch (text) {
            case "none" -> new None();
            case "lz4" -> new Lz4();
            case "zstd" -> new Zstd(Zstd.DEFAULT_LEVEL);
            case "planes" -> new Planes(Planes.DEFAULT_LEVEL);
            default -> {
                if (!text.matches("(zstd|planes):(1?[1-9]|10)")) {
                    throw new IllegalArgumentException(
                            "not a compression: '%s' (try none, lz4 or zstd:3)".formatted(text));
                }
                int level = Integer.parseInt(text.substring(text.indexOf(':') + 1));
                yield text.startsWith("zstd") ? new Zstd(level) : new Planes(level);
            }
        };
    }
}
