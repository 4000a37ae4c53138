package volsh.bench;

import java.io.IOException;
import java.util.List;

/** Each thread reads a file of its own from the beginning to the end: first from the store or disk, then once more. */
final class SequentialRead implements Bench {
    @Override
    public List<Measurement> run(Terms terms, Playground place) throws IOException {
        for (int member = 0; member < terms.threads(); member++) {
            place.filled("read-" + member, terms.operationsOfAThread() * terms.io().bytes(), terms);
        }
        boolean cold = PageCache.drop();
        return List.of(pass(cold ? "read-cold" : "read", terms, place), pass("read-again", terms, place));
    }

    static Measurement pass(String phase, Terms terms, Playground place) throws IOException {
        return new Crew(terms.threads(), terms).run(phase, terms.io().bytes(), member -> part(member, terms, place));
    }

    private static Task.Part part(int member, Terms terms, Playground place) throws IOException {
        var file = DataFile.reading(place.file("read-" + member), terms);
        long last = terms.operationsOfAThread();
        return new Task.Part() {
            private long done;

            @Override
            public long once() throws IOException {
                return done == last ? END : file.read(done++ * terms.io().bytes());
            }

            @Override
            public void close() throws IOException {
                file.close();
            }
        };
    }
}
