package volsh.bench;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import volsh.disk.LocalTrees;
import volsh.disk.TemporaryNames;
import volsh.unit.ByteSize;

/** A directory of a bench's own, removed with it; or an existing file, which it only reads. */
final class Playground implements AutoCloseable {
    private static final int PIECE = 1 << 20;

    private final Path place;
    private final boolean given;

    private Playground(Path place, boolean given) {
        this.place = place;
        this.given = given;
    }

    /** Where one thread reads, and from which byte on. */
    record Stretch(Path file, long from) {}

    static Playground on(Path target) throws IOException {
        return Files.isRegularFile(target) ? new Playground(target, true)
                : new Playground(TemporaryNames.makeDirectory(target, ".volsh-bench-"), false);
    }

    boolean isGiven() {
        return given;
    }

    /** A directory for what must not touch the data: below this one, or among temporary files. */
    Playground aside() throws IOException {
        return new Playground(given ? Files.createTempDirectory("volsh-bench-")
                : Files.createTempDirectory(place, "aside-"), false);
    }

    Path file(String name) throws IOException {
        if (given) {
            throw new IOException("cannot write next to a file that is only read: " + place);
        }
        return place.resolve(name);
    }

    /** A file per thread, or a part per thread of the given one. */
    List<Stretch> stretches(Terms terms) throws IOException {
        long each = terms.operationsOfAThread() * terms.io().bytes();
        var all = new ArrayList<Stretch>();
        for (int member = 0; member < terms.threads(); member++) {
            all.add(given ? new Stretch(filled("", each * terms.threads(), terms), member * each)
                    : new Stretch(filled("read-" + member, each, terms), 0));
        }
        return all;
    }

    /** A synced file of this length with incompressible bytes; or the given one. */
    Path filled(String name, long length, Terms terms) throws IOException {
        if (given) {
            if (Files.size(place) < length) {
                throw new EOFException("%s is smaller than %s".formatted(place, new ByteSize(length)));
            }
            return place;
        }
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
        if (!given) {
            LocalTrees.remove(place);
        }
    }
}
