package volsh.shard.format;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.OutputStream;
import volsh.shard.Field;

/**
 * Writes a tar archive of files: POSIX ustar, with pax headers for long names, names that are not ASCII, and sizes from
 * 8 GiB on. The owner is 0; the bytes depend on the arguments only.
 */
public final class TarWriter {
    private final ShardOutput out;
    private final int mode;
    private final long seconds;

    /** Files that everyone may read, of the year 1970. */
    public TarWriter(OutputStream target) {
        this(target, 0644, 0);
    }

    /** @param seconds when the files were modified, since 1970 */
    public TarWriter(OutputStream target, int mode, long seconds) {
        this.out = new ShardOutput(target);
        this.mode = mode;
        this.seconds = seconds;
    }

    ShardOutput output() {
        return out;
    }

    /** Appends a file. @return the offset of its bytes */
    public long add(String name, Field content) throws IOException {
        byte[] bytes = name.getBytes(UTF_8);
        byte[] extended = TarHeader.extended(name, bytes, content.size());
        if (extended.length > 0) {
            TarHeader.putExtended(out.array(), out.reserve(TarHeader.BLOCK), extended.length);
            out.write(extended);
            pad(extended.length);
        }
        TarHeader.putFile(out.array(), out.reserve(TarHeader.BLOCK), bytes, content.size(), mode, seconds);
        long offset = out.position();
        out.copy(content, null);
        pad(content.size());
        return offset;
    }

    private void pad(long size) throws IOException {
        out.zeros((int) (TarHeader.padded(size) - size));
    }

    /** Writes the end of the archive. The stream stays open. */
    public void finish() throws IOException {
        out.zeros(2 * TarHeader.BLOCK);
        out.finish();
    }
}
