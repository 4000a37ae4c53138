package volsh.bench;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Random;
import volsh.disk.LocalTrees;

/** A directory of a bench's own, which goes with it. */
final class Playground implements AutoCloseable {
    private static final int PIECE = 1 << 20;

    private final Path directory;

    private Playground(Path directory) {
        this.directory = directory;
    }

    static Playground below(Path parent) throws IOException {
        return new Playground(Files.createTempDirectory(parent, ".volsh-bench-"));
    }

    Path file(String name) {
        return directory.resolve(name);
    }

    /** A file of this length whose bytes do not compress, synced. */
    Path filled(String name, long length, Terms terms) throws IOException {
        Path file = file(name);
        var random = new Random(terms.seed() ^ name.hashCode());
        byte[] bytes = new byte[PIECE];
        try (var out = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            for (long done = 0; done < length && !terms.stop().getAsBoolean(); done += PIECE) {
                random.nextBytes(bytes);
                var piece = ByteBuffer.wrap(bytes, 0, (int) Math.min(PIECE, length - done));
                while (piece.hasRemaining()) {
                    out.write(piece);
                }
            }
            out.force(true);
        }
        return file;
    }

    @Override
    public void close() throws IOException {
        LocalTrees.remove(directory);
    }
}
