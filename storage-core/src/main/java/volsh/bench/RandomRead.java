package volsh.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;

/** Every thread reads at random offsets of the same file, once per block of the file, or until the time is up. */
final class RandomRead implements Bench {
    @Override
    public List<Measurement> run(Terms terms, Playground place) throws IOException {
        Path file = place.filled("random", terms.size().bytes() / terms.io().bytes() * terms.io().bytes(), terms);
        WarmUp.reads(terms, place);
        PageCache.forget(file);
        return List.of(pass("randread", terms, file));
    }

    static Measurement pass(String phase, Terms terms, Path path) throws IOException {
        return new Crew(terms.threads(), terms).run(phase, terms.io().bytes(), member -> part(member, terms, path));
    }

    private static Task.Part part(int member, Terms terms, Path path) throws IOException {
        var file = DataFile.reading(path, terms);
        var random = new SplittableRandom(terms.seed() + member);
        long places = terms.size().bytes() / terms.io().bytes();
        return new Task.Part() {
            private long left = terms.duration().isPresent() ? Long.MAX_VALUE : terms.operationsOfAThread();

            @Override
            public long once() throws IOException {
                return left-- == 0 ? END : file.read(random.nextLong(places) * terms.io().bytes());
            }

            @Override
            public void close() throws IOException {
                file.close();
            }
        };
    }
}
