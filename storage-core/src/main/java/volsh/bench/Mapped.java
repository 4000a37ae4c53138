package volsh.bench;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;

/** Random reads of one file with read(2), and by copying from mapped memory; both from the page cache. */
final class Mapped implements Bench {
    @Override
    public List<Measurement> run(Terms terms, Playground place) throws IOException {
        Path file = place.filled("random", terms.size().bytes() / terms.io().bytes() * terms.io().bytes(), terms);
        RandomRead.pass("warm-up", terms.direct(false), file);
        return List.of(RandomRead.pass("read", terms.direct(false), file),
                new Crew(terms.threads(), terms).run("mmap", terms.io().bytes(), member -> part(member, terms, file)));
    }

    private static Task.Part part(int member, Terms terms, Path path) throws IOException {
        var arena = Arena.ofShared();
        MemorySegment mapped;
        try (var file = DataFile.reading(path, terms.direct(false))) {
            mapped = file.channel().map(MapMode.READ_ONLY, 0, file.channel().size(), arena);
        }
        var random = new Random(terms.seed() + member);
        long each = terms.io().bytes();
        long places = terms.size().bytes() / each;
        var target = MemorySegment.ofArray(new byte[(int) each]);
        return new Task.Part() {
            private long left = terms.duration().isPresent() ? Long.MAX_VALUE : terms.operationsOfAThread();

            @Override
            public long once() {
                if (left-- == 0) {
                    return END;
                }
                MemorySegment.copy(mapped, random.nextLong(places) * each, target, 0, each);
                return each;
            }

            @Override
            public void close() {
                arena.close();
            }
        };
    }
}
