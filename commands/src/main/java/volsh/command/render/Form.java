package volsh.command.render;

import java.time.Duration;
import java.time.Instant;
import volsh.unit.ByteSize;
import volsh.unit.Percent;
import volsh.unit.Rate;
import volsh.unit.Span;

/**
 * What kind of quantity a column holds: decides its alignment, its unit for people and the suffix of its machine name.
 */
enum Form {
    TEXT(false, ""),
    NUMBER(true, ""),
    BYTES(true, "Bytes"),
    RATE(true, "BytesPerSecond"),
    SPAN(true, "Seconds"),
    TIME(false, ""),
    /** A command to paste, which is never cut. */
    COMMAND(false, "");

    private final boolean right;
    private final String suffix;

    Form(boolean right, String suffix) {
        this.right = right;
        this.suffix = suffix;
    }

    boolean right() {
        return right;
    }

    String field(String name) {
        return name.endsWith(suffix) ? name : name + suffix;
    }

    /** The value in the type that {@link Human} and {@link Machine} show as this quantity. */
    Object quantity(Object value) {
        return switch (this) {
            case BYTES -> whole(value) ? bytes(((Number) value).longValue()) : value;
            case RATE -> whole(value) ? rate(((Number) value).longValue()) : value;
            case TEXT, NUMBER, SPAN, TIME, COMMAND -> value;
        };
    }

    private static boolean whole(Object value) {
        return value instanceof Long || value instanceof Integer;
    }

    private static Object bytes(long bytes) {
        return bytes < 0 ? bytes : new ByteSize(bytes);
    }

    private static Object rate(long bytes) {
        return bytes <= 0 ? bytes : new Rate(bytes);
    }

    /** The form that a record component of this type and name has. */
    static Form of(Class<?> type, String name) {
        if (type == ByteSize.class || whole(type) && name.endsWith("Bytes")) {
            return BYTES;
        }
        if (type == Rate.class || whole(type) && name.endsWith("BytesPerSecond")) {
            return RATE;
        }
        if (type == Span.class || type == Duration.class) {
            return SPAN;
        }
        if (type == Instant.class) {
            return TIME;
        }
        boolean number = type == Percent.class || Number.class.isAssignableFrom(type)
                || type.isPrimitive() && type != boolean.class && type != char.class;
        return number ? NUMBER : TEXT;
    }

    private static boolean whole(Class<?> type) {
        return type == long.class || type == int.class || type == Long.class || type == Integer.class;
    }
}
