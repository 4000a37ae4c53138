package volsh.command.pipe;

import java.math.BigDecimal;
import java.math.MathContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import volsh.command.failure.CommandFailure;
import volsh.command.pipe.Pipes.Verb;
import volsh.command.render.Row;
import volsh.unit.ByteSize;
import volsh.unit.Rate;
import volsh.unit.Span;

/** The pipe commands that make one value of many: {@code sum min max avg}, and a row per {@code group}. */
final class Summary {
    private Summary() {}

    static Object of(Verb verb, List<Object> items) {
        if (verb.words().isEmpty() && verb.block().isEmpty() && items.stream().anyMatch(Row.class::isInstance)) {
            throw CommandFailure.usage("%1$s needs a column, such as: %1$s used".formatted(verb.name()));
        }
        Function<Object, Object> of = verb.words().isEmpty() ? verb.block().orElse(item -> item)
                : verb.of(verb.word());
        List<Object> values = items.stream().map(of).filter(Objects::nonNull)
                .filter(value -> !Quantities.isUndefined(value)).toList();
        return switch (verb.name()) {
            case "min" -> values.stream().min(Quantities::compare).orElse(null);
            case "max" -> values.stream().max(Quantities::compare).orElse(null);
            case "avg" -> average(values);
            default -> sum(values);
        };
    }

    private static Object sum(List<Object> values) {
        Object sum = null;
        for (Object value : values) {
            sum = Quantities.plus(sum, value);
        }
        return sum == null ? 0 : sum;
    }

    private static Object average(List<Object> values) {
        if (values.isEmpty()) {
            return null;
        }
        Object sum = sum(values);
        if (!(sum instanceof Number) && !Quantities.isQuantity(sum)) {
            throw new IllegalArgumentException("avg needs numbers, sizes or times, and '%s' is none".formatted(sum));
        }
        BigDecimal part = Quantities.amount(sum).divide(BigDecimal.valueOf(values.size()), MathContext.DECIMAL64);
        return switch (sum) {
            case ByteSize _ -> new ByteSize(part.longValue());
            case Rate _ -> new Rate(Math.max(1, part.longValue()));
            case Span _ -> new Span(Duration.ofNanos(part.movePointRight(9).longValue()));
            default -> Quantities.narrow(part);
        };
    }

    /** A row per distinct value of the columns: the count, and the sums of the sizes. */
    static Object group(Verb verb, List<Object> items) {
        List<String> names = verb.columns().isEmpty() ? List.of("value") : verb.columns();
        var groups = new LinkedHashMap<List<Object>, List<Object>>();
        for (Object item : items) {
            var key = new ArrayList<Object>();
            names.forEach(name -> key.add(verb.of(name).apply(item)));
            groups.computeIfAbsent(key, _ -> new ArrayList<>()).add(item);
        }
        var rows = new ArrayList<Row>();
        groups.forEach((key, members) -> rows.add(row(names, key, members)));
        return rows;
    }

    private static Row row(List<String> names, List<Object> key, List<Object> members) {
        var row = new LinkedHashMap<String, Object>();
        for (int i = 0; i < names.size(); i++) {
            row.put(names.get(i), key.get(i));
        }
        row.put("count", members.size());
        for (String size : sizes(members)) {
            row.putIfAbsent(size, sum(members.stream().map(item -> Pipes.field(item, size)).filter(Objects::nonNull)
                    .toList()));
        }
        return Row.of(row);
    }

    private static List<String> sizes(List<Object> members) {
        return members.getFirst() instanceof Row row
                ? row.entrySet().stream().filter(cell -> cell.getValue() instanceof ByteSize).map(Map.Entry::getKey)
                .toList()
                : List.of();
    }
}
