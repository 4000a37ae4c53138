package volsh.bench;

import java.io.IOException;
import java.util.List;

/** Sequential reads of the same files through the page cache and past it. */
final class Direct implements Bench {
    @Override
    public List<Measurement> run(Terms terms, Playground place) throws IOException {
        for (int member = 0; member < terms.threads(); member++) {
            place.filled("read-" + member, terms.operationsOfAThread() * terms.io().bytes(), terms);
        }
        PageCache.drop();
        var buffered = SequentialRead.pass("buffered-cold", terms.direct(false), place);
        var again = SequentialRead.pass("buffered-again", terms.direct(false), place);
        PageCache.drop();
        return List.of(buffered, again, SequentialRead.pass("direct", terms.direct(true), place));
    }
}
