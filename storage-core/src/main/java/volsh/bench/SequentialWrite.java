package volsh.bench;

import java.io.IOException;
import java.util.List;

/** Each thread writes a file of its own and syncs it at the end. */
final class SequentialWrite implements Bench {
    private static final long FEW = 2;

    @Override
    public List<Measurement> run(Terms terms, Playground place) throws IOException {
        try (var aside = place.aside()) {       // loads classes before the clock starts
            new Crew(terms.threads(), terms.warmingUp())
                    .run("warm-up", terms.io().bytes(), member -> part(member, FEW, terms, aside));
        }
        WarmUp.settle();
        return List.of(new Crew(terms.threads(), terms).run("write+fsync", terms.io().bytes(),
                member -> part(member, terms.operationsOfAThread(), terms, place)));
    }

    private static Task.Part part(int member, long last, Terms terms, Playground place) throws IOException {
        var file = DataFile.writing(place.file("write-" + member), terms);
        return new Task.Part() {
            private long done;

            @Override
            public long once() throws IOException {
                return done == last ? END : file.write(done++ * terms.io().bytes());
            }

            @Override
            public void finish() throws IOException {
                file.sync();
            }

            @Override
            public void close() throws IOException {
                file.close();
            }
        };
    }
}
