package volsh.bench.report;

import java.util.List;
import java.util.Set;
import java.util.StringJoiner;
import java.util.TreeSet;
import java.util.stream.Stream;
import volsh.bench.Measurement;

/** The speed of a phase by the number of threads: a line for each run. */
final class ScalingChart {
    private static final int HEIGHT = 240;
    private static final int TOP = 12;

    private final Series series;

    ScalingChart(Series series) {
        this.series = series;
    }

    /** The phases that were measured with several numbers of threads. */
    List<String> phases() {
        return series.keys().stream().map(Series.Key::phase).distinct().filter(phase -> threads(phase).size() > 1)
                .toList();
    }

    private Set<Integer> threads(String phase) {
        return new TreeSet<>(series.keys().stream().filter(key -> key.phase().equals(phase)).map(Series.Key::threads)
                .toList());
    }

    private Stream<Measurement> rows(int run, String phase) {
        return series.runs().get(run).rows().stream().filter(row -> row.phase().equals(phase));
    }

    Markup draw(String phase) {
        var threads = List.copyOf(threads(phase));
        var all = series.runs().stream().flatMap(run -> run.rows().stream()).filter(row -> row.phase().equals(phase))
                .toList();
        boolean bytes = all.stream().allMatch(row -> row.bytes().bytes() > 0);
        double largest = all.stream().mapToDouble(row -> speed(row, bytes)).max().orElse(0);
        var scale = bytes ? Scale.Linear.ofBytes(largest) : Scale.Linear.to(largest);
        var svg = Plot.opened("%s by %d to %d threads".formatted(phase, threads.getFirst(), threads.getLast()),
                HEIGHT + TOP + 30);
        for (double tick : scale.ticks()) {
            double y = y(scale, tick);
            svg.add("<line class='grid' x1='%s' y1='%s' x2='%s' y2='%s'/>", Plot.LEFT, y, Plot.LEFT + Plot.INNER, y);
            svg.add("<text class='label' x='%s' y='%s'>%s</text>", Plot.LEFT - 8, y + 4, shown(tick, bytes));
        }
        for (int i = 0; i < threads.size(); i++) {
            svg.add("<text class='tick' x='%s' y='%s'>%s</text>", x(i, threads.size()), HEIGHT + TOP + 20,
                    threads.get(i));
        }
        var inner = new Markup();
        for (int run = 0; run < series.runs().size(); run++) {
            line(inner, run, phase, threads, scale, bytes);
        }
        return Plot.closed(svg, inner);
    }

    private void line(Markup inner, int run, String phase, List<Integer> threads, Scale scale, boolean bytes) {
        var path = new StringJoiner(" ");
        var dots = new Markup();
        for (int i = 0; i < threads.size(); i++) {
            int number = threads.get(i);
            int place = i;
            rows(run, phase).filter(row -> row.threads() == number).findFirst().ifPresent(row -> {
                double x = x(place, threads.size());
                double y = y(scale, speed(row, bytes));
                path.add(Markup.number(x) + "," + Markup.number(y));
                dots.add("<circle cx='%s' cy='%s' r='4'><title>%s with %s threads: %s</title></circle>", x, y,
                        series.runs().get(run).id(), number, shown(speed(row, bytes), bytes));
            });
        }
        if (path.length() > 0) {
            inner.add("<g class='s%s'><polyline points='%s'/>%s</g>", run, path, dots);
        }
    }

    private static double speed(Measurement row, boolean bytes) {
        return bytes ? row.bytesPerSecond() : row.perSecond();
    }

    private static String shown(double value, boolean bytes) {
        return bytes ? Amounts.rate(value) : Amounts.perSecond(value);
    }

    private static double x(int place, int places) {
        return Plot.LEFT + Plot.INNER * (place + 0.5) / places;
    }

    private static double y(Scale scale, double value) {
        return TOP + HEIGHT * (1 - scale.at(value));
    }
}
