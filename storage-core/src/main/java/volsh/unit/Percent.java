package volsh.unit;

import java.math.BigDecimal;
import java.util.regex.Pattern;

/** A part of a whole between 0% and 100%, as people write it: {@code 80%}, {@code 0.1%}. */
public record Percent(double value) implements Comparable<Percent> {
    private static final Pattern SHAPE = Pattern.compile("\\d{1,3}(\\.\\d{1,9})? ?%");

    public Percent {
        if (!(value >= 0 && value <= 100)) {
            throw new IllegalArgumentException("a percentage must be between 0% and 100%: " + value);
        }
    }

    /** Parses a percentage. @throws IllegalArgumentException naming the text and a valid example */
    public static Percent of(String text) {
        String percent = text.strip();
        if (!SHAPE.matcher(percent).matches()) {
            throw new IllegalArgumentException("not a percentage: '%s' (try 80%%)".formatted(text));
        }
        return new Percent(Double.parseDouble(percent.substring(0, percent.length() - 1)));
    }

    /** As a number between 0 and 1. */
    public double fraction() {
        return value / 100;
    }

    /** This part of {@code whole}, rounded down. */
    public long share(long whole) {
        return BigDecimal.valueOf(value).movePointLeft(2).multiply(BigDecimal.valueOf(whole)).longValue();
    }

    @Override
    public int compareTo(Percent other) {
        return Double.compare(value, other.value);
    }

    @Override
    public String toString() {
        return BigDecimal.valueOf(value).stripTrailingZeros().toPlainString() + "%";
    }
}
