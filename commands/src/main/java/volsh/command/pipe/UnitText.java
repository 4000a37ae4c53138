package volsh.command.pipe;

import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import volsh.catalog.Moment;
import volsh.unit.ByteSize;
import volsh.unit.Percent;
import volsh.unit.Rate;
import volsh.unit.Span;

/** Text as the amount of a quantity: {@code 1.5GiB} is bytes, {@code 10MB/s} bytes per second, {@code -2d} a time. */
final class UnitText {
    private static final Pattern PLAIN = Pattern.compile("[-+]?\\d+(\\.\\d+)?([eE][-+]?\\d{1,3})?");
    private static final Pattern COUNT = Pattern.compile("([-+]?\\d+(?:\\.\\d+)?) ?([kmgt])");
    private static final Map<String, Integer> ZEROS = Map.of("k", 3, "m", 6, "g", 9, "t", 12);
    /** As tables show times, in the user's zone. */
    private static final Pattern SHOWN = Pattern.compile("(\\d{4}-\\d\\d-\\d\\d) (\\d\\d:\\d\\d(?::\\d\\d)?)");
    private static final Pattern AGO = Pattern.compile("now ?- ?(\\S+)");

    private UnitText() {}

    /** @throws IllegalArgumentException naming the text, and an example of what {@code quantity} compares with */
    static BigDecimal amount(Object quantity, String text) {
        String word = text.strip();
        if (quantity instanceof Instant) {
            return Quantities.amount(time(word));
        }
        if (PLAIN.matcher(word).matches()) {
            return new BigDecimal(word);
        }
        return Quantities.amount(switch (quantity) {
            case ByteSize _ -> ByteSize.of(word);
            case Rate _ -> rate(word);
            case Span _ -> Span.of(word);
            case Percent _ -> Percent.of(word);
            default -> number(word);
        });
    }

    /** A size is a size per second. */
    private static Object rate(String word) {
        return word.endsWith("/s") || !word.matches("[\\d.]+ ?[a-zA-Z]+") ? Rate.of(word) : ByteSize.of(word);
    }

    /** A count such as {@code 10k}, and what a quantity of 0 or an unknown unit may be compared with. */
    private static Object number(String word) {
        Matcher count = COUNT.matcher(word.toLowerCase(Locale.ROOT));
        if (count.matches()) {
            return new BigDecimal(count.group(1)).scaleByPowerOfTen(ZEROS.get(count.group(2)));
        }
        try {
            return word.endsWith("%") ? Percent.of(word) : word.endsWith("/s") ? Rate.of(word)
                    : word.toLowerCase(Locale.ROOT).endsWith("b") ? ByteSize.of(word) : Span.of(word);
        } catch (IllegalArgumentException none) {
            throw new IllegalArgumentException("not a number: '%s' (try 5, 10k or 80%%)".formatted(word), none);
        }
    }

    /** {@code -2d}, {@code now-2d}, {@code today}, {@code 2026-11-18}, ISO with a zone, or as tables show it. */
    private static Instant time(String word) {
        Instant now = Instant.now();
        Matcher shown = SHOWN.matcher(word);
        Matcher ago = AGO.matcher(word);
        try {
            if (shown.matches()) {
                return LocalDateTime.parse(shown.group(1) + "T" + shown.group(2)).atZone(ZoneId.systemDefault())
                        .toInstant();
            }
            if (ago.matches()) {
                return now.minus(Span.of(ago.group(1)).duration());
            }
            LocalDate today = LocalDate.ofInstant(now, ZoneOffset.UTC);
            return switch (word.toLowerCase(Locale.ROOT)) {
                case "now" -> now;
                case "today" -> today.atStartOfDay(ZoneOffset.UTC).toInstant();
                case "yesterday" -> today.minusDays(1).atStartOfDay(ZoneOffset.UTC).toInstant();
                default -> Moment.of(word, now) instanceof Moment.Time(Instant time) ? time : refused(word);
            };
        } catch (DateTimeException | IllegalArgumentException none) {
            throw wrong(word, none);
        }
    }

    private static Instant refused(String word) {
        throw wrong(word, null);
    }

    private static IllegalArgumentException wrong(String word, Exception cause) {
        return new IllegalArgumentException(
                "not a time: '%s' (try -2d, yesterday, 2026-11-18 or 2026-11-18T08:00Z)".formatted(word), cause);
    }
}
