package volsh.checkpoint;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.IsoFields;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * Which checkpoints to keep, in the notation of backup tools: {@code
 * last=3,hourly=24,daily=7,weekly=4,monthly=12,every=10000,best=loss:min:2}.
 * Each rule keeps what it names; checkpoints that no rule keeps can go. {@code hourly=24} keeps the newest of each of
 * the last 24 hours that have one (in UTC), {@code every=10000} those whose step is a multiple, {@code best=loss:min:2}
 * the two with the least loss.
 */
public record Retention(List<Rule> rules) {
    private static final Pattern COUNT = Pattern.compile("(last|hourly|daily|weekly|monthly|every)=([1-9]\\d{0,11})");
    private static final Pattern BEST = Pattern.compile("best=([A-Za-z0-9_.-]{1,64}):(min|max):([1-9]\\d{0,5})");

    private static final DateTimeFormatter WEEK = new DateTimeFormatterBuilder().appendValue(IsoFields.WEEK_BASED_YEAR)
            .appendLiteral('-')
            .appendValue(IsoFields.WEEK_OF_WEEK_BASED_YEAR).toFormatter(Locale.ROOT).withZone(ZoneOffset.UTC);

    /** A rule. */
    public sealed interface Rule {
        /** As it was written. */
        String text();
    }

    private record Last(String text, long count) implements Rule {}

    private record Each(String text, DateTimeFormatter period, long count) implements Rule {}

    private record Every(String text, long steps) implements Rule {}

    private record Best(String text, String metric, boolean least, long count) implements Rule {}

    /** @throws IllegalArgumentException naming the invalid rule and valid examples */
    public static Retention of(String text) {
        var rules = new ArrayList<Rule>();
        for (String part : text.split(",", -1)) {
            rules.add(rule(part.strip()));
        }
        return new Retention(List.copyOf(rules));
    }

    private static Rule rule(String text) {
        var best = BEST.matcher(text);
        if (best.matches()) {
            return new Best(text, best.group(1), best.group(2).equals("min"), Long.parseLong(best.group(3)));
        }
        var count = COUNT.matcher(text);
        if (!count.matches()) {
            throw new IllegalArgumentException(("invalid retention rule: '%s' (try last=3, hourly=24, daily=7, "
                    + "weekly=4, monthly=12, every=10000 or best=loss:min:2)")
                    .formatted(text));
        }
        long number = Long.parseLong(count.group(2));
        return switch (count.group(1)) {
            case "last" -> new Last(text, number);
            case "every" -> new Every(text, number);
            case "hourly" -> new Each(text, period("uuuu-MM-dd-HH"), number);
            case "daily" -> new Each(text, period("uuuu-MM-dd"), number);
            case "weekly" -> new Each(text, WEEK, number);
            default -> new Each(text, period("uuuu-MM"), number);
        };
    }

    private static DateTimeFormatter period(String pattern) {
        return DateTimeFormatter.ofPattern(pattern, Locale.ROOT).withZone(ZoneOffset.UTC);
    }

    /** What may go: not kept by a rule, not pinned, not the newest valid one, and not an invalid one. */
    List<Checkpoint> spare(List<Checkpoint> all) {
        return beyond(all).stream().filter(one -> !one.pinned()).toList();
    }

    /** What no rule keeps, pinned or not, except the newest valid one and invalid ones. */
    List<Checkpoint> beyond(List<Checkpoint> all) {
        var kept = ruled(all);
        return newestFirst(all).stream().filter(one -> !kept.containsKey(one)).toList().reversed();
    }

    private static List<Checkpoint> newestFirst(List<Checkpoint> all) {
        return all.stream().filter(Checkpoint::valid).sorted(Checkpoint.BY_AGE.reversed()).toList();
    }

    private Map<Checkpoint, List<String>> ruled(List<Checkpoint> all) {
        var valid = newestFirst(all);
        var kept = new HashMap<Checkpoint, List<String>>();
        valid.stream().limit(1).forEach(one -> note(kept, one, "the newest"));
        valid.stream().filter(Checkpoint::latest).forEach(one -> note(kept, one, "latest"));
        rules.forEach(rule -> kept(rule, valid).forEach(one -> note(kept, one, rule.text())));
        return kept;
    }

    private static void note(Map<Checkpoint, List<String>> kept, Checkpoint one, String why) {
        kept.computeIfAbsent(one, absent -> new ArrayList<>()).add(why);
    }

    /** What stays, in the order given, and why: every rule that keeps it, and what is kept without rules. */
    Map<Checkpoint, List<String>> reasons(List<Checkpoint> all) {
        var kept = ruled(all);
        all.stream().filter(Checkpoint::pinned).forEach(one -> note(kept, one, "pinned"));
        all.stream().filter(one -> !one.valid()).forEach(one -> note(kept, one, "damaged"));
        var ordered = new LinkedHashMap<Checkpoint, List<String>>();
        all.stream().filter(kept::containsKey).forEach(one -> ordered.put(one, kept.get(one)));
        return ordered;
    }

    /** The metrics that rules name but no checkpoint has: those rules keep nothing. */
    Set<String> unknownMetrics(List<Checkpoint> all) {
        var unknown = new TreeSet<String>();
        for (var rule : rules) {
            if (rule instanceof Best best
                    && newestFirst(all).stream().noneMatch(one -> metrics(one).containsKey(best.metric()))) {
                unknown.add(best.metric());
            }
        }
        return unknown;
    }

    private static double value(Checkpoint one, String metric) {
        return metrics(one).getOrDefault(metric, Double.NaN);
    }

    private static List<Checkpoint> kept(Rule rule, List<Checkpoint> newestFirst) {
        return switch (rule) {
            case Last(_, long count) -> newestFirst.stream().limit(count).toList();
            case Every(_, long steps) -> newestFirst.stream().filter(one -> one.step() % steps == 0).toList();
            case Each(_, DateTimeFormatter period, long count) -> newestOfEach(period, count, newestFirst);
            case Best(_, String metric, boolean least, long count) -> newestFirst.stream()
                    .filter(one -> !Double.isNaN(value(one, metric)))
                    .sorted(Comparator.comparingDouble(one -> least ? value(one, metric) : -value(one, metric)))
                    .limit(count).toList();
        };
    }

    private static List<Checkpoint> newestOfEach(DateTimeFormatter period, long count, List<Checkpoint> newestFirst) {
        return newestOfEach(period, count, newestFirst, Retention::saved);
    }

    private static <T> List<T> newestOfEach(DateTimeFormatter period, long count, List<T> newestFirst,
            Function<T, Instant> time) {
        var seen = new HashSet<String>();
        var kept = new ArrayList<T>();
        for (var one : newestFirst) {
            if (seen.size() < count && seen.add(period.format(time.apply(one)))) {
                kept.add(one);
            }
        }
        return kept;
    }

    /**
     * Applies the rules to other things with a time: returns what none of them keeps, oldest first.
     * @throws IllegalArgumentException for every and best
     */
    public <T> List<T> spare(List<T> newestFirst, Function<T, Instant> time) {
        Set<T> kept = new HashSet<>();
        for (var rule : rules) {
            kept.addAll(switch (rule) {
                case Last(_, long count) -> newestFirst.stream().limit(count).toList();
                case Each(_, DateTimeFormatter period, long count) -> newestOfEach(period, count, newestFirst, time);
                case Every every -> throw notForTimes("every");
                case Best best -> throw notForTimes("best");
            });
        }
        return newestFirst.stream().filter(one -> !kept.contains(one)).toList().reversed();
    }

    private static IllegalArgumentException notForTimes(String rule) {
        return new IllegalArgumentException(("rule '%s' applies to checkpoints only (try last=3, hourly=24, daily=7, "
                + "weekly=4 or monthly=12)").formatted(rule));
    }

    private static Instant saved(Checkpoint one) {
        return one.manifest().orElseThrow().saved();
    }

    private static Map<String, Double> metrics(Checkpoint one) {
        return one.manifest().orElseThrow().metrics();
    }
}
