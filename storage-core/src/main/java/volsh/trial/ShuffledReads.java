package volsh.trial;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import volsh.bench.Crew;
import volsh.bench.Measurement;
import volsh.bench.Task;
import volsh.bench.Terms;
import volsh.volume.Volume;

/** Reads every file of a volume once, in an order given by the seed, with several threads. */
final class ShuffledReads {
    private final Terms terms;
    private final List<Long> files;

    ShuffledReads(Terms terms, List<Long> files) {
        this.terms = terms;
        this.files = files;
    }

    Measurement pass(String phase, Volume volume, long seed) throws IOException {
        var order = new ArrayList<>(files);
        Collections.shuffle(order, new Random(seed));
        return new Crew(terms.threads(), terms).run(phase, terms.io().bytes(), member -> part(member, order, volume));
    }

    private Task.Part part(int member, List<Long> order, Volume volume) {
        int length = Math.toIntExact(terms.io().bytes());
        var buffer = ByteBuffer.allocateDirect(length + Terms.ALIGNMENT).alignedSlice(Terms.ALIGNMENT).limit(length);
        return new Task.Part() {
            private int next = member;

            @Override
            public long once() throws IOException {
                if (next >= order.size()) {
                    return END;
                }
                try (var file = volume.vfs().open(order.get(next))) {
                    for (int done = 0; done < length;) {
                        int count = file.read(done, buffer.position(done));
                        if (count <= 0) {
                            throw new EOFException("file is shorter than it was written");
                        }
                        done += count;
                    }
                }
                next += terms.threads();
                return length;
            }
        };
    }
}
