package volsh.dataset;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;
import volsh.fs.NoSpaceException;
import volsh.transfer.LocalFiles;

/** A local file under a temporary name, which a commit renames. What a killed process left there is overwritten. */
final class LocalPendingFile implements PendingFile {
    private static final int BUFFER = 256 << 10;

    private final Path temporary;
    private final Path target;
    private final FileChannel channel;
    private final OutputStream direct = new Unbuffered();
    private @Nullable OutputStream stream;
    private boolean committed;

    LocalPendingFile(Path temporary, Path target) throws IOException {
        this.temporary = temporary;
        this.target = target;
        this.channel = FileChannel.open(temporary,
                StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE);
    }

    /** Names the target in failures, which a channel does not. */
    private final class Unbuffered extends OutputStream {
        @Override
        public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            var buffer = ByteBuffer.wrap(bytes, offset, length);
            try {
                while (buffer.hasRemaining()) {
                    channel.write(buffer);
                }
            } catch (IOException failed) {
                throw NoSpaceException.typed("%s: %s".formatted(target, failed.getMessage()), failed);
            }
        }
    }

    @Override
    public OutputStream stream() {
        if (stream == null) {
            stream = new BufferedOutputStream(direct, BUFFER);
        }
        return stream;
    }

    @Override
    public OutputStream direct() {
        return direct;
    }

    @Override
    public void commit() throws IOException {
        if (stream != null) {
            stream.flush();
        }
        channel.close();
        LocalFiles.requireReplaceable(target);
        Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        committed = true;
    }

    @Override
    public void close() throws IOException {
        channel.close();
        if (!committed) {
            Files.deleteIfExists(temporary);
        }
    }
}
