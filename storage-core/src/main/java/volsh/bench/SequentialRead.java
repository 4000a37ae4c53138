package volsh.bench;

import java.io.IOException;
import java.util.List;
import volsh.bench.Playground.Stretch;

/** Each thread reads a file of its own sequentially: first from the store or disk, then again. */
final class SequentialRead implements Bench {
    @Override
    public List<Measurement> run(Terms terms, Playground place) throws IOException {
        var files = place.stretches(terms);
        WarmUp.reads(terms, place);
        boolean cold = forget(files);
        return List.of(pass(cold ? "read-cold" : "read", terms, files), pass("read-again", terms, files));
    }

    /** @return whether the page cache contains nothing of them now, as far as the kernel follows the advice */
    static boolean forget(List<Stretch> files) {
        boolean all = true;
        for (var each : files) {
            all &= PageCache.forget(each.file());
        }
        return all;
    }

    static Measurement pass(String phase, Terms terms, List<Stretch> files) throws IOException {
        return new Crew(terms.threads(), terms)
                .run(phase, terms.io().bytes(), member -> part(files.get(member), terms));
    }

    private static Task.Part part(Stretch stretch, Terms terms) throws IOException {
        var file = DataFile.reading(stretch.file(), terms);
        long last = terms.operationsOfAThread();
        return new Task.Part() {
            private long done;

            @Override
            public long once() throws IOException {
                return done == last ? END : file.read(stretch.from() + done++ * terms.io().bytes());
            }

            @Override
            public void close() throws IOException {
                file.close();
            }
        };
    }
}
