package volsh.command.pipe;

import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;
import volsh.unit.ByteSize;
import volsh.unit.Rate;
import volsh.unit.Span;

/** Adds and compares the values that rows hold. */
final class Quantities {
    private Quantities() {}

    static @Nullable Object plus(@Nullable Object a, @Nullable Object b) {
        if (a == null || b == null) {
            return a == null ? b : a;
        }
        if (a instanceof ByteSize x && b instanceof ByteSize y) {
            return new ByteSize(Math.addExact(x.bytes(), y.bytes()));
        }
        if (a instanceof Span x && b instanceof Span y) {
            return new Span(x.duration().plus(y.duration()));
        }
        if (a instanceof Rate x && b instanceof Rate y) {
            return new Rate(Math.addExact(x.bytesPerSecond(), y.bytesPerSecond()));
        }
        if (a instanceof Number x && b instanceof Number y) {
            return narrow(decimal(x).add(decimal(y)));
        }
        throw new IllegalArgumentException("cannot add %s and %s".formatted(a, b));
    }

    private static Number narrow(BigDecimal sum) {
        return sum.stripTrailingZeros().scale() <= 0 ? (Number) sum.longValueExact() : sum.doubleValue();
    }

    private static BigDecimal decimal(Number number) {
        return new BigDecimal(number.toString());
    }

    /** Numbers and quantities by size, everything else by its text; nothing comes last. */
    @SuppressWarnings({"unchecked", "rawtypes"}) // two values of one comparable class
    static int compare(@Nullable Object a, @Nullable Object b) {
        if (a == null || b == null) {
            return Boolean.compare(a == null, b == null);
        }
        if (a instanceof Number x && b instanceof Number y) {
            return decimal(x).compareTo(decimal(y));
        }
        return a instanceof Comparable x && a.getClass() == b.getClass() ? x.compareTo(b)
                : a.toString().compareTo(b.toString());
    }

    /** Whether a condition holds, as scripts see it. */
    static boolean truth(@Nullable Object value) {
        return switch (value) {
            case null -> false;
            case Boolean flag -> flag;
            case Number number -> number.doubleValue() != 0;
            case CharSequence text -> !text.isEmpty();
            case java.util.Collection<?> many -> !many.isEmpty();
            case java.util.Map<?, ?> map -> !map.isEmpty();
            default -> true;
        };
    }
}
