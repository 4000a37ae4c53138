package volsh.unit;

/** Bytes per second, as people write it: {@code 2GiB/s}, {@code 200MB/s}. Sizes are parsed like {@link ByteSize}. */
public record Rate(long bytesPerSecond) implements Comparable<Rate> {
    private static final String SUFFIX = "/s";

    public Rate {
        if (bytesPerSecond <= 0) {
            throw new IllegalArgumentException("a rate must be positive: " + bytesPerSecond);
        }
    }

    /** Parses a rate. @throws IllegalArgumentException naming the text and a valid example */
    public static Rate of(String text) {
        String size = text.strip();
        try {
            if (size.endsWith(SUFFIX)) {
                return new Rate(ByteSize.of(size.substring(0, size.length() - SUFFIX.length())).bytes());
            }
        } catch (IllegalArgumentException notASize) {
            throw new IllegalArgumentException(refusal(text), notASize);
        }
        throw new IllegalArgumentException(refusal(text));
    }

    private static String refusal(String text) {
        return "not a rate: '%s' (try 200MB/s)".formatted(text);
    }

    /** The text that {@link #of} parses back to exactly this rate. */
    public String exact() {
        return new ByteSize(bytesPerSecond).exact() + SUFFIX;
    }

    @Override
    public int compareTo(Rate other) {
        return Long.compare(bytesPerSecond, other.bytesPerSecond);
    }

    /** For people, rounded to one decimal. */
    @Override
    public String toString() {
        return new ByteSize(bytesPerSecond) + SUFFIX;
    }
}
