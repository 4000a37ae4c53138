package volsh.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Random reads of one file by an increasing number of threads. */
final class QueueDepths implements Bench {
    private static final int[] DEPTHS = {1, 4, 16, 32, 64};
    private static final Duration EACH = Duration.ofSeconds(2);

    @Override
    public List<Measurement> run(Terms terms, Playground place) throws IOException {
        // data that is too small is refused before any of it is created
        var depths = Arrays.stream(DEPTHS).mapToObj(depth -> deep(terms, depth)).toList();
        Path file = place.filled("random", terms.size().bytes() / terms.io().bytes() * terms.io().bytes(), terms);
        WarmUp.reads(terms, place);
        var rows = new ArrayList<Measurement>();
        for (var each : depths) {
            PageCache.forget(file);
            rows.add(RandomRead.pass("randread", each, file));
        }
        return rows;
    }

    private static Terms deep(Terms terms, int depth) {
        return new Terms(terms.directory(), terms.size(), terms.io(), depth, Optional.of(terms.duration().orElse(EACH)),
                terms.direct(), terms.seed() + depth, terms.pace(), terms.stop(), terms.progress());
    }
}
