package volsh.bench;

import java.io.IOException;
import java.util.List;

/** Sequential reads of the same files through the page cache and bypassing it. */
final class Direct implements Bench {
    @Override
    public List<Measurement> run(Terms terms, Playground place) throws IOException {
        var files = place.stretches(terms);
        WarmUp.reads(terms, place);
        SequentialRead.forget(files);
        var buffered = SequentialRead.pass("buffered-cold", terms.direct(false), files);
        var again = SequentialRead.pass("buffered-again", terms.direct(false), files);
        SequentialRead.forget(files);
        return List.of(buffered, again, SequentialRead.pass("direct", terms.direct(true), files));
    }
}
