package volsh.dataset;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import volsh.fs.FsException;
import volsh.fs.Name;
import volsh.fs.NoSpaceException;
import volsh.fs.Owner;
import volsh.vfs.OpenFile;
import volsh.vfs.Vfs;

/** A file of a volume without a name, which a commit gives it. Nothing is left of it after a crash. */
final class VolumePendingFile implements PendingFile {
    private static final int BUFFER = 1 << 20;
    private static final int MODE = 0644;

    private final Vfs vfs;
    private final long directory;
    private final Name name;
    private final String shown;
    private final OpenFile file;
    private final OutputStream direct = new Unbuffered();
    private @Nullable OutputStream stream;
    private long length;

    VolumePendingFile(Vfs vfs, long directory, Name name, String shown, Owner owner) throws IOException {
        this.vfs = vfs;
        this.directory = directory;
        this.name = name;
        this.shown = shown;
        this.file = vfs.createUnnamed(directory, MODE, owner);
    }

    /** Names the target in failures. */
    private final class Unbuffered extends OutputStream {
        @Override
        public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int count) throws IOException {
            var buffer = ByteBuffer.wrap(bytes, offset, count);
            try {
                while (buffer.hasRemaining()) {
                    length += file.write(length, buffer);
                }
            } catch (FsException refused) {
                throw new FsException(refused.error(), shown + ": " + refused.getMessage(), refused);
            } catch (IOException failed) {
                throw NoSpaceException.typed("%s: %s".formatted(shown, failed.getMessage()), failed);
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
        vfs.place(file, directory, name);
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
