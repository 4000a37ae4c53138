package volsh.shard.format;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the bytes of a shard until what comes before them is known: in a temporary file without a name, so that nothing
 * is left behind however the process ends.
 */
final class Spool extends OutputStream {
    private final CRC32C sum = new CRC32C();
    private @Nullable FileChannel file;

    @Override
    public void write(int one) throws IOException {
        write(new byte[] {(byte) one}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int from, int count) throws IOException {
        if (count == 0) {
            return;
        }
        sum.update(bytes, from, count);
        try {
            file = file == null ? open() : file;
            for (var left = ByteBuffer.wrap(bytes, from, count); left.hasRemaining();) {
                file.write(left);
            }
        } catch (IOException failed) {
            throw new IOException("cannot keep samples in a temporary file in %s: %s".formatted(
                    System.getProperty("java.io.tmpdir"), failed.getMessage()), failed);
        }
    }

    private static FileChannel open() throws IOException {
        var path = Files.createTempFile("volsh-shard-", null);
        try {
            return FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
        } finally {
            Files.delete(path);
        }
    }

    /** The CRC-32C of everything written. */
    int sum() {
        return (int) sum.getValue();
    }

    /** Writes everything to the target and forgets it. */
    void drainTo(OutputStream target) throws IOException {
        if (file == null) {
            return;
        }
        try (var from = file) {
            var piece = ByteBuffer.allocate(ShardOutput.SIZE);
            from.position(0);
            while (from.read(piece.clear()) > 0) {
                target.write(piece.array(), 0, piece.position());
            }
        }
    }
}
