package volsh.command.render;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
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
 * Values as programs see them: exact numbers of bytes and seconds, ISO-8601 times in UTC, enum constants in lower case with
 * dashes, records as maps. What comes out is {@code null}, text, a number, a boolean, a list or a map.
 */
final class Machine {
    private Machine() {}

    static Object of(Object value) {
        return switch (value) {
            case null -> null;
            case String text -> text;
            case Number number -> number;
            case Boolean flag -> flag;
            case ByteSize size -> size.bytes();
            case Rate rate -> rate.bytesPerSecond();
            case Percent percent -> percent.value();
            case Span span -> seconds(span.duration());
            case Duration duration -> seconds(duration);
            case Instant time -> time.toString();
            case Enum<?> constant -> constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
            case Optional<?> optional -> of(optional.orElse(null));
            case Record row -> fields(row);
            case Map<?, ?> map -> fields(map);
            case java.nio.file.Path path -> path.toString(); // a path is an Iterable of its parts
            case Iterable<?> items -> list(items);
            default -> value.toString();
        };
    }

    /** Whole seconds as an integer, others as an exact decimal. */
    private static Number seconds(Duration duration) {
        BigDecimal seconds = new BigDecimal(BigInteger.valueOf(duration.getSeconds()))
                .add(BigDecimal.valueOf(duration.getNano(), 9)).stripTrailingZeros();
        return seconds.scale() <= 0 ? duration.getSeconds() : seconds;
    }

    private static <T extends Record> Map<String, Object> fields(T row) {
        var fields = new LinkedHashMap<String, Object>();
        for (var column : Columns.derived(row).all()) {
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
