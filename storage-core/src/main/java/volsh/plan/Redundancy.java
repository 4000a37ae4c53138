package volsh.plan;

import java.util.regex.Pattern;
import volsh.unit.ByteSize;

/**
 * How data survives the loss of stores: {@code 10+4} cuts it into 10 parts plus 4 from which any 4 can be computed,
 * {@code 3x} keeps three copies.
 *
 * @param spare how many may be lost
 */
public record Redundancy(int data, int spare) {
    public static final Redundancy NONE = new Redundancy(1, 0);

    private static final Pattern PARTS = Pattern.compile("([1-9]\\d{0,2})\\+(\\d{1,3})");
    private static final Pattern COPIES = Pattern.compile("([1-9]\\d?)x");

    public static Redundancy of(String text) {
        var parts = PARTS.matcher(text);
        if (parts.matches()) {
            return new Redundancy(Integer.parseInt(parts.group(1)), Integer.parseInt(parts.group(2)));
        }
        var copies = COPIES.matcher(text);
        if (copies.matches()) {
            return new Redundancy(1, Integer.parseInt(copies.group(1)) - 1);
        }
        throw new IllegalArgumentException("invalid redundancy: '%s' (try 10+4 or 3x)".formatted(text));
    }

    /** Stored bytes per byte of data. */
    public double factor() {
        return (double) (data + spare) / data;
    }

    public ByteSize stored(ByteSize size) {
        return new ByteSize((long) Math.ceil(size.bytes() * factor()));
    }

    @Override
    public String toString() {
        return data == 1 ? spare + 1 + "x" : data + "+" + spare;
    }
}
