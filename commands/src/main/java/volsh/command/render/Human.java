package volsh.command.render;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.function.Supplier;
import volsh.unit.Span;

/** Values as people see them: local times, a few digits, the two largest units of a duration, {@code -} for nothing. */
final class Human {
    static final String NOTHING = "-";
    private static final long MINUTE = 60;
    private static final long HOUR = 60 * MINUTE;
    private static final long DAY = 24 * HOUR;

    private Human() {}

    static String of(Object value, Supplier<ZoneId> zone) {
        if (value == null || value.equals("")) {
            return NOTHING;
        }
        if (value == Unknown.VALUE) {
            return "?";
        }
        if (value instanceof String text) {
            return text;
        }
        if (value instanceof Boolean flag) {
            return flag ? "yes" : "no";
        }
        if (value instanceof Double || value instanceof Float) {
            return number(((Number) value).doubleValue());
        }
        if (value instanceof Span span) {
            return span(span.duration());
        }
        if (value instanceof Duration duration) {
            return span(duration);
        }
        return value instanceof Instant time ? time(time, zone.get()) : compound(value, zone);
    }

    private static String compound(Object value, Supplier<ZoneId> zone) {
        if (value instanceof Enum<?> constant) {
            return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
        if (value instanceof Optional<?> optional) {
            return of(optional.orElse(null), zone);
        }
        if (value instanceof Record row && Columns.isPlain(row)) {
            return fields(row, zone);
        }
        if (value instanceof Map<?, ?> map) {
            return fields(map, zone);
        }
        boolean list = value instanceof Iterable<?> && !(value instanceof Path); // a path is an Iterable of its parts
        return list ? list((Iterable<?>) value, zone) : value.toString();
    }

    private static String number(double number) {
        if (!Double.isFinite(number)) {
            return NOTHING;
        }
        BigDecimal rounded = BigDecimal.valueOf(number).setScale(Math.abs(number) < 1 ? 3 : 2, RoundingMode.HALF_UP)
                .stripTrailingZeros();
        return rounded.toPlainString();
    }

    static String span(Duration duration) {
        long seconds = duration.getSeconds();
        if (seconds >= DAY) {
            return two(seconds / DAY, "d", seconds % DAY / HOUR, "h");
        }
        if (seconds >= HOUR) {
            return two(seconds / HOUR, "h", seconds % HOUR / MINUTE, "m");
        }
        if (seconds >= MINUTE) {
            return two(seconds / MINUTE, "m", seconds % MINUTE, "s");
        }
        return small(duration);
    }

    private static String small(Duration duration) {
        long nanos = duration.toNanos();
        if (nanos == 0 || nanos >= 1_000_000_000) {
            return number(nanos / 1e9) + "s";
        }
        return nanos >= 1_000_000 ? number(nanos / 1e6) + "ms" : number(nanos / 1e3) + "us";
    }

    private static String two(long large, String largeUnit, long small, String smallUnit) {
        return small == 0 ? large + largeUnit : large + largeUnit + small + smallUnit;
    }

    static String time(Instant time, ZoneId zone) {
        var local = LocalDateTime.ofInstant(time, zone);
        return local.toLocalDate() + " " + digits(local.getHour()) + ":" + digits(local.getMinute()) + ":"
                + digits(local.getSecond());
    }

    private static String digits(int number) {
        return number < 10 ? "0" + number : Integer.toString(number);
    }

    private static String fields(Record row, Supplier<ZoneId> zone) {
        var fields = new StringJoiner(" ");
        for (var column : Columns.<Record>derived(row.getClass()).all()) {
            fields.add(column.name() + "=" + column.human(row, zone));
        }
        return fields.toString();
    }

    private static String fields(Map<?, ?> map, Supplier<ZoneId> zone) {
        var fields = new StringJoiner(",");
        map.forEach((key, value) -> fields.add(of(key, zone) + "=" + of(value, zone)));
        return fields.length() == 0 ? NOTHING : fields.toString();
    }

    private static String list(Iterable<?> items, Supplier<ZoneId> zone) {
        var list = new StringJoiner(",");
        items.forEach(item -> list.add(of(item, zone)));
        return list.length() == 0 ? NOTHING : list.toString();
    }
}
