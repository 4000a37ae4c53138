package volsh.bench.loader;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** Consecutive samples of one length in large files, read at random offsets, like tokens. */
record PlaceSamples(List<Path> files, int each, List<Place> places) implements Samples {
    record Place(int file, long offset) {}

    /** All whole samples of the files, in an order given by the seed. */
    static PlaceSamples of(List<Path> files, int each, int most, long seed) throws IOException {
        var places = new ArrayList<Place>();
        for (int file = 0; file < files.size(); file++) {
            long length = java.nio.file.Files.size(files.get(file));
            for (long offset = 0; offset + each <= length && places.size() < most; offset += each) {
                places.add(new Place(file, offset));
            }
        }
        Collections.shuffle(places, new Random(seed));
        return new PlaceSamples(files, each, places);
    }

    @Override
    public Samples part(int rank, int world) {
        return new PlaceSamples(files, each, FileSamples.every(places, rank, world));
    }

    @Override
    public Reader reader(int worker, int workers, int batch) throws IOException {
        var order = new Batches(places.size(), worker, workers, batch);
        var channels = new FileChannel[files.size()];
        var buffer = AlignedBuffer.allocate(each);
        return new Reader() {
            @Override
            public long next() throws IOException {
                int sample = order.next();
                return sample < 0 ? END : read(places.get(sample), channels, buffer);
            }

            @Override
            public void close() throws IOException {
                for (var channel : channels) {
                    if (channel != null) {
                        channel.close();
                    }
                }
            }
        };
    }

    private long read(Place place, FileChannel[] channels, ByteBuffer buffer) throws IOException {
        var path = files.get(place.file());
        if (channels[place.file()] == null) {
            channels[place.file()] = FileChannel.open(path);
        }
        buffer.clear().limit(each);
        while (buffer.hasRemaining()) {
            if (channels[place.file()].read(buffer, place.offset() + buffer.position()) < 0) {
                throw new EOFException("%s ends within a sample".formatted(path));
            }
        }
        return each;
    }

    @Override
    public boolean isEmpty() {
        return places.isEmpty();
    }

    @Override
    public String description() {
        return "%,d samples in %,d files".formatted(places.size(), files.size());
    }
}
