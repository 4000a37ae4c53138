package volsh.command.render;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.StringJoiner;
import volsh.unit.Span;

/** Values as people see them: local times, a few digits, the two largest units of a duration, {@code -} for nothing. */
final class Human {
    static final String NOTHING = "-";
    private static final long MINUTE = 60;
    private static final long HOUR = 60 * MINUTE;
    private static final long DAY = 24 * HOUR;

    private Human() {}

    static String of(Object value, ZoneId zone) {
        return switch (value) {
            case null -> NOTHING;
            case String text -> text.isEmpty() ? NOTHING : text;
            case Boolean flag -> flag ? "yes" : "no";
            case Double number -> number(number);
            case Float number -> number(number);
            case BigDecimal number -> number.toPlainString();
            case Span span -> span(span.duration());
            case Duration duration -> span(duration);
            case Instant time -> time(time, zone);
            case Enum<?> constant -> constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
            case Optional<?> optional -> of(optional.orElse(null), zone);
            case Record row when Columns.isPlain(row) -> fields(row, zone);
            case Map<?, ?> map -> fields(map, zone);
            case java.nio.file.Path path -> path.toString();
            case Iterable<?> items -> list(items, zone);
            default -> value.toString();
        };
    }

    private static String number(double number) {
        if (!Double.isFinite(number)) {
            return NOTHING;
        }
        BigDecimal rounded = BigDecimal.valueOf(number).setScale(Math.abs(number) < 1 ? 3 : 2, RoundingMode.HALF_UP).stripTrailingZeros();
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
        return local.toLocalDate() + " " + digits(local.getHour()) + ":" + digits(local.getMinute()) + ":" + digits(local.getSecond());
    }

    private static String digits(int number) {
        return number < 10 ? "0" + number : Integer.toString(number);
    }

    private static <T extends Record> String fields(T row, ZoneId zone) {
        var fields = new StringJoiner(" ");
        for (var column : Columns.derived(row).all()) {
            fields.add(column.name() + "=" + column.human(row, zone));
        }
        return fields.toString();
    }

    private static String fields(Map<?, ?> map, ZoneId zone) {
        var fields = new StringJoiner(",");
        map.forEach((key, value) -> fields.add(of(key, zone) + "=" + of(value, zone)));
        return fields.length() == 0 ? NOTHING : fields.toString();
    }

    private static String list(Iterable<?> items, ZoneId zone) {
        var list = new StringJoiner(",");
        items.forEach(item -> list.add(of(item, zone)));
        return list.length() == 0 ? NOTHING : list.toString();
    }
}
