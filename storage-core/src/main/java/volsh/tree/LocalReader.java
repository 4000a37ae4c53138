package volsh.tree;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import volsh.object.ObjectSink;
import volsh.transfer.LocalFiles;

/** Reads a local file. */
final class LocalReader implements TreeReader {
    private static final ThreadLocal<ByteBuffer> PIECE =
            ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(ObjectSink.PIECE));

    private final Path path;
    private final FileChannel channel;
    private final LocalFiles.Local before;

    LocalReader(Path path) throws IOException {
        this.path = path;
        this.before = LocalFiles.stat(path.toRealPath());
        this.channel = FileChannel.open(path, StandardOpenOption.READ);
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
                if (channel.read(piece, at + piece.position()) < 0) {
                    throw new EntryChangedException(path.toString());
                }
            }
            sink.write(piece.flip());
        }
    }

    /** With the time of the last change of any kind, which programs cannot set. */
    @Override
    public String state() throws IOException {
        return before.identity() + " " + before.mtime() + ' ' + Files.getAttribute(path, "unix:ctime");
    }

    @Override
    public void requireUnchanged() throws IOException {
        if (!before.isUnchanged(LocalFiles.stat(path.toRealPath()))) {
            throw new EntryChangedException(path.toString());
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
