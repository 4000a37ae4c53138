package volsh.meta;

import java.io.IOException;

/** Hands out numbers from ranges, and takes a new range when one is used up. */
final class Ids {
    interface Source {
        Session.Range take() throws IOException;
    }

    private final Source source;
    private long next;
    private long end;

    Ids(Source source) {
        this.source = source;
    }

    synchronized long next() throws IOException {
        if (next == end) {
            var range = source.take();
            next = range.first();
            end = range.end();
        }
        return next++;
    }
}
