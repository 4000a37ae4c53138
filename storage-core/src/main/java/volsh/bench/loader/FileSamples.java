package volsh.bench.loader;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A file per sample, with random access. */
record FileSamples(List<Path> files) implements Samples {
    @Override
    public Samples part(int rank, int world) {
        return new FileSamples(every(files, rank, world));
    }

    static <T> List<T> every(List<T> all, int rank, int world) {
        var part = new ArrayList<T>();
        for (int i = rank; i < all.size(); i += world) {
            part.add(all.get(i));
        }
        return part;
    }

    @Override
    public Reader reader(int worker, int workers, int batch) {
        var order = new Batches(files.size(), worker, workers, batch);
        var buffer = AlignedBuffer.allocate();
        return () -> {
            int sample = order.next();
            if (sample < 0) {
                return Reader.END;
            }
            long bytes = 0;
            try (var file = FileChannel.open(files.get(sample))) {
                for (int count = file.read(buffer.clear()); count >= 0; count = file.read(buffer.clear())) {
                    bytes += count;
                }
            }
            return bytes;
        };
    }

    @Override
    public boolean isEmpty() {
        return files.isEmpty();
    }

    @Override
    public String description() {
        return "%,d files".formatted(files.size());
    }
}
