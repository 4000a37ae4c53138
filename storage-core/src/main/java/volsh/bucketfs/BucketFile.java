package volsh.bucketfs;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import volsh.bucketfs.ObjectFrames.Content;
import volsh.fs.Attributes;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fuse.FuseFile;
import volsh.object.NoSuchObjectException;
import volsh.object.ObjectChangedException;

/**
 * An open file. What it reads is of one state of the object, or of what this mount is writing: once the bucket has
 * another state, reads fail with ESTALE.
 */
final class BucketFile implements FuseFile {
    private final BucketFileSystem files;
    private final BucketNode node;
    private final boolean writes;
    private final Attributes found;
    private final ReadsAhead sequential;
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile @Nullable Content content;   // null before the first read

    BucketFile(BucketFileSystem files, BucketNode node, boolean writes, Attributes found, ReadsAhead sequential) {
        this.files = files;
        this.node = node;
        this.writes = writes;
        this.found = found;
        this.sequential = sequential;
    }

    @Override
    public Attributes found() {
        return found;
    }

    @Override
    public int read(long offset, ByteBuffer target) throws IOException {
        var writer = node.writer;
        if (writer != null && writer.isDiscarded() && !writer.hasContent()) {
            throw new FsException(FsError.STALE, "%s was removed or replaced while it was open".formatted(node.key()));
        }
        if (writer != null && writer.hasContent()) {
            return writer.read(offset, target);
        }
        var state = node.state;
        if (state == null || state.size() <= offset) {
            return 0;
        }
        try {
            var now = contentOf(state);
            if (offset == 0) {
                files.walks().reads(node);
            }
            sequential.reads(now, offset, target.remaining());
            return files.frames().read(now, offset, target);
        } catch (ObjectChangedException | NoSuchObjectException changed) {
            files.outdated(node);
            var stale = new FsException(FsError.STALE, "%s changed in the bucket while it was open".formatted(
                    node.key()));
            stale.initCause(changed);
            throw stale;
        }
    }

    private Content contentOf(ObjectState state) {
        var known = content;
        if (known == null || known.state() != state) {
            known = Content.of(node.key(), state);
            content = known;
        }
        return known;
    }

    private ObjectWriter writer() throws IOException {
        var writer = node.writer;
        if (!writes || writer == null) {
            throw new FsException(FsError.BAD_HANDLE);
        }
        return writer;
    }

    @Override
    public int write(long offset, ByteBuffer source) throws IOException {
        return writer().write(offset, source);
    }

    @Override
    public int append(ByteBuffer source) throws IOException {
        return writer().append(source);
    }

    @Override
    public void flush(int process) throws IOException {
        if (writes) {
            writer().flush(process);
        }
    }

    @Override
    public void fsync() throws IOException {
        if (writes) {
            writer().fsync();
        }
    }

    @Override
    public void close() throws IOException {
        if (closed.compareAndSet(false, true)) {
            files.closed(node, writes);
        }
    }
}
