package volsh.bench.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Predicate;
import volsh.bench.Comparison;
import volsh.bench.Measurement;
import volsh.bench.Run;

/** The beginning of a report: what its runs show, in sentences. Says nothing that the numbers below do not show. */
final class ReportVerdict {
    /** Differences within this part are called equal: two runs of the same bench differ as much. */
    private static final double ALIKE = 0.05;
    /** An operation that took this many times the median is an outlier. */
    private static final double OUTLIER = 20;
    private static final int PHASES_MAX = 4;
    /** The utilisation that MLPerf Storage demands of most models. */
    private static final double KEEPS_UP = 0.9;

    private final List<Run> runs;

    ReportVerdict(List<Run> runs) {
        this.runs = runs;
    }

    /** At least one sentence. */
    List<String> sentences() {
        var told = new ArrayList<String>();
        if (runs.size() == 1) {
            one(runs.getFirst(), told);
        } else {
            runs.stream().skip(1).forEach(run -> told.add(compared(runs.getFirst(), run)));
            differences().ifPresent(told::add);
        }
        return told;
    }

    private static void one(Run run, List<String> told) {
        var rows = run.rows().stream().filter(row -> row.operations() > 0).toList();
        if (rows.isEmpty()) {
            told.add("This run measured nothing: no operation completed.");
            return;
        }
        loader(run, rows).ifPresent(told::add);
        hits(rows).ifPresent(told::add);
        rows.stream().map(Measurement::phase).distinct().limit(PHASES_MAX)
                .forEach(phase -> told.add(speed(rows.stream().filter(row -> row.phase().equals(phase)).toList())));
        outlier(rows).ifPresent(told::add);
    }

    /** Whether the GPUs of a simulated job had to wait. */
    private static Optional<String> loader(Run run, List<Measurement> rows) {
        return rows.stream().filter(has("utilisation"))
                .max(Comparator.<Measurement>comparingDouble(row -> share(row, "utilisation"))
                        .thenComparing(Measurement::threads, Comparator.reverseOrder()))
                .map(best -> "%s: the GPUs compute %s of the time with %s, the best that was tried%s.".formatted(
                        judged(share(best, "utilisation"), run.facts().getOrDefault("required", "")),
                        Amounts.percentDown(share(best, "utilisation")),
                        Names.threads(best.phase(), best.threads()), required(run)));
    }

    private static String required(Run run) {
        return run.facts().containsKey("required")
                ? "; %s is required".formatted(Names.value(run.facts().get("required"))) : "";
    }

    private static String judged(double busy, String required) {
        if (required.isEmpty()) {
            return busy >= KEEPS_UP ? "Storage keeps up" : "Storage is too slow for this job";
        }
        return busy * 100 + 1e-6 >= number(required) ? "Passed" : "Too slow";
    }

    private static double number(String percent) {
        try {
            return Double.parseDouble(percent.replace("%", "").strip());
        } catch (NumberFormatException unknown) {
            return 0;
        }
    }

    private static double share(Measurement row, String name) {
        return row.shares().getOrDefault(name, 0.0);
    }

    private static Optional<String> hits(List<Measurement> rows) {
        return rows.stream().filter(has("hits")).reduce((_, last) -> last)
                .map(last -> "The cache answered %s of the reads of %s%s.".formatted(
                        Amounts.percent(share(last, "hits")), last.phase(),
                        last.shares().containsKey("forecast")
                                ? "; %s were forecast".formatted(Amounts.percent(share(last, "forecast"))) : ""));
    }

    private static Predicate<Measurement> has(String share) {
        return row -> row.shares().containsKey(share);
    }

    /** The best row of a phase, and whether more threads made a difference. */
    private static String speed(List<Measurement> rows) {
        var best = rows.stream().max(Comparator.comparingDouble(Measurement::speed)).orElseThrow();
        var fewest = rows.stream().min(Comparator.comparingInt(Measurement::threads)).orElseThrow();
        String text = "%s: %s with %s, half of the %s within %s and 99 %% within %s".formatted(best.phase(),
                Names.speed(best), Names.threads(best.phase(), best.threads()),
                Names.isLoader(best.phase()) ? "batches arrive" : "operations", Amounts.time(best.latency().p50()),
                Amounts.time(best.latency().p99()));
        if (fewest.threads() == best.threads() || fewest.speed() <= 0) {
            return text + (rows.size() > 1 ? "; more did not help." : ".");
        }
        return text + "; %s with %s.".formatted(Names.speed(fewest), Names.threads(best.phase(), fewest.threads()));
    }

    private static Optional<String> outlier(List<Measurement> rows) {
        return rows.stream().filter(row -> row.latency().p50().toNanos() > 0)
                .max(Comparator.comparingDouble(ReportVerdict::tail)).filter(row -> tail(row) >= OUTLIER)
                .map(row -> "The slowest %s took %s, %,.0f times the median of %s with %s.".formatted(
                        Names.isLoader(row.phase()) ? "batch" : "operation", Amounts.time(row.latency().max()),
                        tail(row), row.phase(),
                                Names.threads(row.phase(), row.threads())));
    }

    private static double tail(Measurement row) {
        return (double) row.latency().max().toNanos() / row.latency().p50().toNanos();
    }

    private static String compared(Run first, Run other) {
        var rows = Comparison.of(first, other).stream().filter(row -> row.before() > 0 && row.after() > 0).toList();
        if (rows.isEmpty()) {
            var own = new ArrayList<String>();
            one(other, own);
            return "%s measured something else than %s. %s".formatted(other.id(), first.id(), own.getFirst());
        }
        double mean = Math.exp(rows.stream().mapToDouble(row -> Math.log(ratio(row))).average().orElse(0));
        var text = "%s %s %s".formatted(other.id(), factor(mean), first.id());
        var most = rows.stream().max(Comparator.comparingDouble(row -> Math.abs(Math.log(ratio(row))))).orElseThrow();
        return text + (rows.size() == 1 ? "" : ", on average over %d measurements".formatted(rows.size()))
                + (Math.abs(Math.log(ratio(most))) < ALIKE ? "." : "; %s with %s: %s, before %s.".formatted(
                        most.phase(), Names.threads(most.phase(), most.threads()), Names.speed(most.after(),
                                most.bytes()), Names.speed(most.before(), most.bytes())));
    }

    /** Parameters and facts that could explain a difference. */
    private Optional<String> differences() {
        var names = new TreeSet<String>();
        runs.forEach(run -> names.addAll(run.facts().keySet()));
        names.removeIf(name -> runs.stream().filter(run -> run.facts().containsKey(name))
                .map(run -> run.facts().get(name)).distinct().count() < 2);
        return names.isEmpty() ? Optional.empty() : Optional.of("The runs differ in: %s.".formatted(
                String.join(", ", names.stream().map(Names::fact).toList())));
    }

    private static double ratio(Comparison row) {
        return row.after() / row.before();
    }

    private static String factor(double ratio) {
        if (Math.abs(ratio - 1) <= ALIKE) {
            return "is as fast as";
        }
        if (ratio >= 2 || ratio <= 0.5) {
            return String.format(Locale.ROOT, "is %.1f times as %s as", Math.max(ratio, 1 / ratio),
                    ratio > 1 ? "fast" : "slow");
        }
        return String.format(Locale.ROOT, "is %.0f %% %s than", 100 * Math.abs(ratio - 1),
                ratio > 1 ? "faster" : "slower");
    }
}
