package volsh.command.pipe;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.OptionalInt;
import volsh.unit.ByteSize;
import volsh.unit.Percent;
import volsh.unit.Rate;
import volsh.unit.Span;

/**
 * Adds and compares the values that rows hold. A size, rate, duration, time or percentage compares with a number in its
 * smallest unit as programs see it (bytes, bytes per second, seconds, percent) and with text of its unit.
 */
public final class Quantities {
    private Quantities() {}

    static Object plus(Object a, Object b) {
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
        if (a instanceof Rate x && isZero(b)) {
            return x;
        }
        if (b instanceof Rate y && isZero(a)) {
            return y;
        }
        if (a instanceof Number x && b instanceof Number y) {
            return narrow(decimal(x).add(decimal(y)));
        }
        throw new IllegalArgumentException("cannot add '%s' and '%s'".formatted(a, b));
    }

    /** A rate of 0 is a number, because no {@link Rate} is. */
    private static boolean isZero(Object value) {
        return value instanceof Number number && number.doubleValue() == 0;
    }

    static Number narrow(BigDecimal sum) {
        boolean whole = sum.stripTrailingZeros().scale() <= 0
                && sum.abs().compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) <= 0;
        return whole ? (Number) sum.longValueExact() : sum.doubleValue();
    }

    static BigDecimal decimal(Number number) {
        return new BigDecimal(number.toString());
    }

    /** Whether it is a number that is none, as the average of nothing. */
    static boolean isUndefined(Object value) {
        return value instanceof Double number && !Double.isFinite(number)
                || value instanceof Float single && !Float.isFinite(single);
    }

    /** Numbers and quantities by size, everything else by its text; nothing comes last. */
    @SuppressWarnings({"unchecked", "rawtypes"}) // two values of one comparable class
    static int compare(Object a, Object b) {
        boolean noneA = a == null || isUndefined(a);
        boolean noneB = b == null || isUndefined(b);
        if (noneA || noneB) {
            return Boolean.compare(noneA, noneB);
        }
        if (a instanceof Number x && b instanceof Number y) {
            return decimal(x).compareTo(decimal(y));
        }
        if (a instanceof Number && isQuantity(b) || isQuantity(a) && b instanceof Number) {
            return order(a, b).orElse(0);
        }
        return a instanceof Comparable x && a.getClass() == b.getClass() ? x.compareTo(b)
                : a.toString().compareTo(b.toString());
    }

    /**
     * How {@code left} stands to {@code right}: below zero, zero or above, if one of them is a quantity and the other
     * is something else; empty where the values compare by themselves.
     *
     * @throws IllegalArgumentException if the other is not a number and no text of that unit
     */
    public static OptionalInt order(Object left, Object right) {
        boolean alike = left == null || right == null || left.getClass() == right.getClass();
        if (alike || isUndefined(left) || isUndefined(right) || !isQuantity(left) && !isQuantity(right)) {
            return OptionalInt.empty();
        }
        return OptionalInt.of(isQuantity(left) ? amount(left).compareTo(in(left, right))
                : in(right, left).compareTo(amount(right)));
    }

    static boolean isQuantity(Object value) {
        return value instanceof ByteSize || value instanceof Rate || value instanceof Span || value instanceof Percent
                || value instanceof Instant;
    }

    /** A quantity as the number that programs see. */
    static BigDecimal amount(Object quantity) {
        return switch (quantity) {
            case ByteSize size -> BigDecimal.valueOf(size.bytes());
            case Rate rate -> BigDecimal.valueOf(rate.bytesPerSecond());
            case Span span -> BigDecimal.valueOf(span.duration().toNanos(), 9);
            case Percent percent -> BigDecimal.valueOf(percent.value());
            case Instant time -> BigDecimal.valueOf(time.getEpochSecond()).add(BigDecimal.valueOf(time.getNano(), 9));
            case Number number -> decimal(number);
            default -> throw new IllegalArgumentException("'%s' is not a quantity".formatted(quantity));
        };
    }

    private static BigDecimal in(Object quantity, Object other) {
        return switch (other) {
            case Number number when !(quantity instanceof Instant) -> decimal(number);
            case CharSequence text -> UnitText.amount(quantity, text.toString());
            default -> throw new IllegalArgumentException("cannot compare %s with %s".formatted(said(quantity),
                    said(other)));
        };
    }

    private static String said(Object value) {
        String kind = switch (value) {
            case ByteSize _ -> "the size ";
            case Rate _ -> "the rate ";
            case Span _ -> "the duration ";
            case Percent _ -> "the percentage ";
            case Instant _ -> "the time ";
            case Number _ -> "the number ";
            default -> "";
        };
        return kind + (kind.isEmpty() ? "'" + value + "'" : value);
    }

    /** Whether a condition holds, as scripts see it. */
    static boolean truth(Object value) {
        return switch (value) {
            case null -> false;
            case Boolean flag -> flag;
            case Number number -> number.doubleValue() != 0;
            case CharSequence text -> !text.isEmpty();
            case java.util.Collection<?> many -> !many.isEmpty();
            case java.util.Map<?, ?> map -> !map.isEmpty();
            case ByteSize size -> size.bytes() != 0;
            case Span span -> !span.duration().isZero();
            case Percent percent -> percent.value() != 0;
            default -> true;
        };
    }
}
