package volsh.transfer;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import volsh.fs.AttributeChange;
import volsh.fs.FileKind;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.Name;
import volsh.fs.NoSpaceException;
import volsh.fs.Owner;
import volsh.transfer.LocalFiles.Local;
import volsh.vfs.Import;
import volsh.vfs.OpenFile;
import volsh.vfs.Vfs;

/**
 * Copies the regular files of a {@link Put} in worker threads. A file that changes while it is read is read again, and
 * left out if it changes again: a copy of old and new bytes would be neither version.
 */
final class PutFiles {
    private static final int ATTEMPTS = 3;
    /** Each thread has a buffer of this size. */
    private static final int BATCH_BYTES_MAX = 4 << 20;

    private final Vfs vfs;
    private final Optional<Owner> owner;
    private final TransferTally tally;
    private final KeptAttributes kept;
    private final Import importer;
    private final Inflow inflow;
    private final ThreadLocal<ByteBuffer> batchBuffer;
    private final Set<LocalFiles.Identity> placed = ConcurrentHashMap.newKeySet();
    private @Nullable Sharing sharing;   // null if no blocks are shared

    /** A file and its target. */
    record Waiting(Local local, long parent, Name name) {
        Path path() {
            return local.path();
        }
    }

    PutFiles(Vfs vfs, Optional<Owner> owner, TransferTally tally) {
        this.vfs = vfs;
        this.owner = owner;
        this.tally = tally;
        this.kept = new KeptAttributes(tally, owner.isEmpty());
        this.importer = new Import(vfs);
        this.inflow = new Inflow(vfs, tally);
        this.batchBuffer = Buffers.perThread(batchBytesMax());
    }

    void share(Sharing those) {
        sharing = those;
    }

    /** The size up to which files are written in batches. */
    int smallMax() {
        return sharing == null ? batchBytesMax() / 2 : Math.min(batchBytesMax() / 2, Sharing.SMALL);
    }

    int batchCountMax() {
        return importer.countMax();
    }

    int batchBytesMax() {
        return Math.min(importer.bytesMax(), BATCH_BYTES_MAX);
    }

    /** Whether this file is in the volume; known only of files with several names. */
    boolean isPlaced(Waiting file) {
        return placed.contains(file.local().identity());
    }

    /** The file was in the volume before. */
    void isThere(Waiting file) {
        placed.add(file.local().identity());
    }

    /** Counts a hard link to a copied file, for which nothing is stored. */
    void linked(Waiting other) {
        if (sharing != null) {
            sharing.linked(other.path(), other.local().size());
        }
    }

    void importBatch(List<Waiting> files) throws IOException {
        tally.check();
        var buffer = batchBuffer.get().clear();
        var pieces = new ArrayList<Import.Piece>();
        var origins = new ArrayList<Waiting>();
        for (var file : files) {
            var bytes = readWhole(file, buffer);
            if (bytes.isPresent()) {
                pieces.add(piece(file, bytes.get()));
                origins.add(file);
            }
        }
        if (!pieces.isEmpty()) {
            report(origins, importer.run(pieces));
        }
    }

    private Import.Piece piece(Waiting file, ByteBuffer bytes) {
        var local = file.local();
        return new Import.Piece(
                file.parent(), file.name(), local.mode(owner.isEmpty()), ownerOf(local), local.atime(), local.mtime(),
                bytes);
    }

    private void report(List<Waiting> files, List<Optional<FsError>> answers) throws IOException {
        for (int i = 0; i < answers.size(); i++) {
            if (answers.get(i).isPresent()) {
                tally.refused(files.get(i).path().toString(), new FsException(answers.get(i).get()));
            } else {
                tally.moved(files.get(i).local().size());
                done(files.get(i), files.get(i).local().size());
            }
        }
    }

    private void done(Waiting file, long size) {
        if (file.local().links() > 1) {
            placed.add(file.local().identity());
        }
        tally.file(size);
    }

    /**
     * The bytes of the file as a part of the buffer; empty if it cannot be read, or has changed and is copied by
     * itself.
     */
    private Optional<ByteBuffer> readWhole(Waiting file, ByteBuffer buffer) throws IOException {
        if (!LocalAttributes.names(file.path()).isEmpty()) {
            stream(file);   // copied one by one, they get those, too
            return Optional.empty();
        }
        int start = buffer.position();
        int size = (int) file.local().size();
        try (var channel = open(file.path())) {
            buffer.limit(Math.min(buffer.capacity(), start + size + 1));
            while (buffer.hasRemaining() && channel.read(buffer) >= 0) {
                // until the file ends
            }
            boolean whole = buffer.position() == start + size && file.local().isUnchanged(LocalFiles.stat(file.path()));
            if (whole) {
                return Optional.of(buffer.slice(start, size));
            }
            buffer.position(start);
        } catch (ClosedByInterruptException stop) {
            throw stop;
        } catch (IOException unreadable) {
            buffer.position(start);
            tally.failed(file.path().toString(), unreadable);
            return Optional.empty();
        } finally {
            buffer.limit(buffer.capacity());
        }
        stream(file);
        return Optional.empty();
    }

    private static FileChannel open(Path path) throws IOException {
        return FileChannel.open(path, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
    }

    /** Copies one file by itself. */
    void stream(Waiting file) throws IOException {
        try {
            for (int attempt = 1; !tryStream(file); attempt++) {
                if (attempt == ATTEMPTS) {
                    throw new UnreadableException(new IOException("file changed while it was being copied"));
                }
            }
        } catch (UnreadableException unreadable) {
            tally.failed(file.path().toString(), unreadable.reason());
        } catch (FsException refused) {
            tally.refused(file.path().toString(), refused);
        } catch (NoSpaceException full) {
            throw new NoSpaceException("%s: %s".formatted(file.path(), full.getMessage()), full);
        }
    }

    /** Copies the file once; false, with nothing placed, if it changed in the meantime. */
    private boolean tryStream(Waiting file) throws IOException {
        try (var channel = readable(file.path())) {
            var before = stat(file.path());
            Inflow.Placing placing = (target, size) -> {
                if (size != before.size() || !before.isUnchanged(stat(file.path()))) {
                    return false;
                }
                place(target, before, file);
                done(file, size);
                return true;
            };
            int mode = before.mode(owner.isEmpty());
            return sharing == null || before.size() <= smallMax()
                    ? inflow.copy(channel, before.size(), file.parent(), mode, ownerOf(before), placing)
                    : sharing.copy(file.path(), channel, before.size(), file.parent(), mode, ownerOf(before), placing);
        }
    }

    private void place(OpenFile target, Local local, Waiting file) throws IOException {
        target.flush();
        var times = AttributeChange.NONE.withAtime(local.atime()).withMtime(local.mtime());
        vfs.change(target.ino(), times.withMode(local.mode(owner.isEmpty())));
        kept.put(file.path(), vfs, target.ino());
        vfs.place(target, file.parent(), file.name());
    }

    private static FileChannel readable(Path path) throws IOException {
        try {
            return open(path);
        } catch (FileSystemException unreadable) {
            throw new UnreadableException(unreadable);
        }
    }

    private static Local stat(Path path) throws UnreadableException {
        try {
            var local = LocalFiles.stat(path);
            if (local.kind() != FileKind.REGULAR) {
                throw new IOException("no longer a regular file");
            }
            return local;
        } catch (IOException gone) {
            throw new UnreadableException(gone);
        }
    }

    private Owner ownerOf(Local file) {
        return owner.orElse(new Owner(file.uid(), file.gid()));
    }
}
