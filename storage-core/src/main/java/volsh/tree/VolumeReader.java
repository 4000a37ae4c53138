package volsh.tree;

import java.io.IOException;
import java.nio.ByteBuffer;
import volsh.fs.Attributes;
import volsh.object.ObjectSink;
import volsh.vfs.OpenFile;

/** Reads a file of a volume. */
final class VolumeReader implements TreeReader {
    private static final ThreadLocal<ByteBuffer> PIECE =
            ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(ObjectSink.PIECE));

    private final OpenFile file;
    private final Attributes before;
    private final String name;

    VolumeReader(OpenFile file, String name) throws IOException {
        this.file = file;
        this.before = file.attributes();
        this.name = name;
    }

    @Override
    public long size() {
        return before.size();
    }

    @Override
    public void read(long offset, long length, ObjectSink sink) throws IOException {
        var piece = PIECE.get();
        for (long at = offset, end = offset + length; at < end; at += piece.limit()) {
            piece.clear().limit((int) Math.min(end - at, ObjectSink.PIECE));
            while (piece.hasRemaining()) {
                if (file.read(at + piece.position(), piece) == 0) {
                    throw new EntryChangedException(name);
                }
            }
            sink.write(piece.flip());
        }
    }

    @Override
    public String state() {
        return before.ino() + " " + before.version();
    }

    @Override
    public void requireUnchanged() throws IOException {
        if (file.attributes().version() != before.version()) {
            throw new EntryChangedException(name);
        }
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
