package volsh.bench;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import volsh.disk.PastTheCache;

/** A file that one thread reads or writes through its own buffer, aligned for direct I/O. */
final class DataFile implements AutoCloseable {
    private final FileChannel channel;
    private final ByteBuffer buffer;

    private DataFile(Path file, Terms terms, StandardOpenOption... how) throws IOException {
        Set<OpenOption> options = new HashSet<>(List.of(how));
        if (terms.direct()) {
            options.add(PastTheCache.option()
                    .orElseThrow(() -> new IOException("this Java runtime does not support direct I/O")));
        }
        this.channel = FileChannel.open(file, options);
        int bytes = (int) terms.io().bytes();
        this.buffer = ByteBuffer.allocateDirect(bytes + Terms.ALIGNMENT).alignedSlice(Terms.ALIGNMENT).limit(bytes);
    }

    static DataFile reading(Path file, Terms terms) throws IOException {
        return new DataFile(file, terms, StandardOpenOption.READ);
    }

    /** A new file, to be written with incompressible bytes. */
    static DataFile writing(Path file, Terms terms) throws IOException {
        var made = new DataFile(file, terms, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        byte[] bytes = new byte[made.buffer.limit()];
        new Random(terms.seed() ^ file.hashCode()).nextBytes(bytes);
        made.buffer.put(0, bytes);
        return made;
    }

    /** Fills the whole buffer from here. */
    long read(long offset) throws IOException {
        buffer.position(0);
        while (buffer.hasRemaining()) {
            if (channel.read(buffer, offset + buffer.position()) < 0) {
                throw new EOFException("the file ends before " + (offset + buffer.limit()));
            }
        }
        return buffer.limit();
    }

    /** Writes the whole buffer here. No two writes have the same bytes. */
    long write(long offset) throws IOException {
        buffer.position(0);
        if (buffer.limit() >= Long.BYTES) {
            buffer.putLong(0, buffer.getLong(0) * 0x5851F42D4C957F2DL + offset + 1);
        }
        while (buffer.hasRemaining()) {
            channel.write(buffer, offset + buffer.position());
        }
        return buffer.limit();
    }

    void sync() throws IOException {
        channel.force(false);
    }

    FileChannel channel() {
        return channel;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
