package volsh.command.render;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import volsh.unit.ByteSize;
import volsh.unit.Percent;
import volsh.unit.Rate;
import volsh.unit.Span;

/**
 * Values as programs see them: exact numbers of bytes and seconds, ISO-8601 times in UTC, enum constants in lower case
 * with dashes, records as maps. What comes out is {@code null}, text, a number, a boolean, a list or a map.
 */
final class Machine {
    private Machine() {}

    // A chain and not a type switch: a process's first type switch costs milliseconds, which every command would pay.
    static Object of(Object value) {
        if (value == null || value instanceof String || value instanceof Number || value instanceof Boolean) {
            return value;
        }
        if (value == Unknown.VALUE) {
            return null;
        }
        Object quantity = quantity(value);
        return quantity != null ? quantity : compound(value);
    }

    private static Object quantity(Object value) {
        if (value instanceof ByteSize size) {
            return size.bytes();
        }
        if (value instanceof Rate rate) {
            return rate.bytesPerSecond();
        }
        if (value instanceof Percent percent) {
            return percent.value();
        }
        if (value instanceof Span span) {
            return seconds(span.duration());
        }
        return value instanceof Duration duration ? seconds(duration) : null;
    }

    private static Object compound(Object value) {
        if (value instanceof Enum<?> constant) {
            return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
        if (value instanceof Optional<?> optional) {
            return of(optional.orElse(null));
        }
        if (value instanceof Record row) {
            return fields(row);
        }
        if (value instanceof Map<?, ?> map) {
            return fields(map);
        }
        boolean list = value instanceof Iterable<?> && !(value instanceof Path); // a path is an Iterable of its parts
        return list ? list((Iterable<?>) value) : value.toString();
    }

    /** Whole seconds as an integer, others as an exact decimal. */
    private static Number seconds(Duration duration) {
        BigDecimal seconds = new BigDecimal(BigInteger.valueOf(duration.getSeconds()))
                .add(BigDecimal.valueOf(duration.getNano(), 9)).stripTrailingZeros();
        return seconds.scale() <= 0 ? duration.getSeconds() : seconds;
    }

    private static Map<String, Object> fields(Record row) {
        var fields = new LinkedHashMap<String, Object>();
        for (var column : Columns.<Record>derived(row.getClass()).all()) {
            fields.put(column.field(), column.machine(row));
        }
        return fields;
    }

    private static Map<String, Object> fields(Map<?, ?> map) {
        var fields = new LinkedHashMap<String, Object>();
        map.forEach((key, value) -> fields.put(String.valueOf(of(key)), of(value)));
        return fields;
    }

    private static List<Object> list(Iterable<?> items) {
        var list = new ArrayList<Object>();
        for (Object item : items) {
            list.add(of(item));
        }
        return list;
    }
}
