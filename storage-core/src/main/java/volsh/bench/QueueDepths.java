package volsh.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Random reads by more and more threads of one file. */
final class QueueDepths implements Bench {
    private static final int[] DEPTHS = {1, 4, 16, 32, 64};
    private static final Duration EACH = Duration.ofSeconds(2);

    @Override
    public List<Measurement> run(Terms terms, Playground place) throws IOException {
        Path file = place.filled("random", terms.size().bytes() / terms.io().bytes() * terms.io().bytes(), terms);
        RandomRead.pass("warm-up", terms.warmingUp(), file);
        var rows = new ArrayList<Measurement>();
        for (int depth : DEPTHS) {
            PageCache.drop();
            var now = new Terms(terms.directory(), terms.size(), terms.io(), depth, Optional.of(terms.duration().orElse(EACH)), terms.direct(),
                    terms.seed() + depth, terms.pace(), terms.stop(), terms.progress());
            rows.add(RandomRead.pass("randread", now, file));
        }
        return rows;
    }
}
