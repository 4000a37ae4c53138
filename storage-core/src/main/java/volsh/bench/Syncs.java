package volsh.bench;

import java.io.IOException;
import java.util.List;

/** Appends with a sync each, and appends without, for comparison. */
final class Syncs implements Bench {
    /** Without a duration: enough for percentiles, but quick on slow disks. */
    private static final long OPERATIONS = 200;

    @Override
    public List<Measurement> run(Terms terms, Playground place) throws IOException {
        return List.of(pass("write", false, terms, place), pass("write+fsync", true, terms, place));
    }

    private static Measurement pass(String phase, boolean sync, Terms terms, Playground place) throws IOException {
        return new Crew(terms.threads(), terms).run(phase, terms.io().bytes(), member -> {
            var file = DataFile.writing(place.file(phase + "-" + member), terms);
            return new Task.Part() {
                private long done;

                @Override
                public long once() throws IOException {
                    if (done == OPERATIONS && terms.duration().isEmpty()) {
                        return END;
                    }
                    long moved = file.write(done++ * terms.io().bytes());
                    if (sync) {
                        file.sync();
                    }
                    return moved;
                }

                @Override
                public void close() throws IOException {
                    file.close();
                }
            };
        });
    }
}
