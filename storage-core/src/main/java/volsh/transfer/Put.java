package volsh.transfer;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.ReadableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import volsh.fs.AttributeChange;
import volsh.fs.FileKind;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.transfer.LocalFiles.Local;
import volsh.vfs.Import;
import volsh.vfs.OpenFile;
import volsh.vfs.Vfs;

/**
 * Copies local files and trees into a volume. Small files travel in batches, one transaction and at most one block each;
 * large ones are written beside their name and placed in one step. So a file is there whole or not at all, whenever the
 * copy stops. Modes and times come along; links stay links.
 */
public final class Put implements AutoCloseable {
    private static final int STREAM_BYTES = 1 << 20;

    private final Vfs vfs;
    private final Optional<Owner> owner;
    private final Tally tally;
    private final Crew crew;
    private final Import importer;
    private final ThreadLocal<ByteBuffer> batchBuffer;
    private final ThreadLocal<ByteBuffer> streamBuffer = ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(STREAM_BYTES));
    private final List<DirectoryTimes> directories = new ArrayList<>();
    private List<Waiting> batch = new ArrayList<>();
    private long batchBytes;

    /** {@code owner} is who the files will belong to; empty keeps each file's own. */
    public Put(Vfs vfs, Optional<Owner> owner, int parallel, Observer observer) {
        this.vfs = vfs;
        this.owner = owner;
        this.tally = new Tally(observer);
        this.crew = new Crew(parallel);
        this.importer = vfs.importer();
        this.batchBuffer = ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(importer.bytesMax()));
    }

    private record Waiting(Local file, long parent, Name name) {}

    private record DirectoryTimes(long ino, Local local) {}

    /** Copies one local file, link or tree to {@code name} in the directory. */
    public void add(Path source, long parent, Name name) throws IOException {
        add(LocalFiles.stat(source), parent, name);
    }

    private void add(Local file, long parent, Name name) throws IOException {
        tally.check();
        switch (file.kind()) {
            case REGULAR -> addFile(file, parent, name);
            case DIRECTORY -> addDirectory(file, parent, name);
            case SYMLINK -> addSymlink(file, parent, name);
            default -> tally.failed(file.path().toString(), "a " + file.kind().toString().toLowerCase(Locale.ROOT).replace('_', ' ') + " is not copied");
        }
    }

    private void addFile(Local file, long parent, Name name) throws IOException {
        tally.found(file.size());
        if (file.size() > importer.bytesMax() / 2) {
            crew.submit(() -> stream(file, parent, name));
            return;
        }
        if (batch.size() == importer.countMax() || batchBytes + file.size() > importer.bytesMax()) {
            submitBatch();
        }
        batch.add(new Waiting(file, parent, name));
        batchBytes += file.size();
    }

    private void submitBatch() throws IOException {
        var full = batch;
        batch = new ArrayList<>();
        batchBytes = 0;
        if (!full.isEmpty()) {
            crew.submit(() -> importBatch(full));
        }
    }

    private void addDirectory(Local directory, long parent, Name name) throws IOException {
        long ino = makeDirectory(directory, parent, name);
        tally.directory();
        directories.add(new DirectoryTimes(ino, directory));
        try (var children = Files.newDirectoryStream(directory.path())) {
            for (var child : children) {
                addChild(child, ino);
            }
        } catch (DirectoryIteratorException unreadable) {
            tally.failed(directory.path().toString(), unreadable.getCause());
        } catch (FileSystemException unreadable) {
            tally.failed(directory.path().toString(), unreadable);
        }
    }

    private void addChild(Path child, long parent) throws IOException {
        Local local;
        try {
            local = LocalFiles.stat(child);
        } catch (FileSystemException unreadable) {
            tally.failed(child.toString(), unreadable);
            return;
        }
        add(local, parent, LocalFiles.name(child));
    }

    private long makeDirectory(Local directory, long parent, Name name) throws IOException {
        try {
            return vfs.makeDirectory(parent, name, directory.mode(), ownerOf(directory)).ino();
        } catch (FsException refused) {
            if (refused.error() != FsError.EXISTS) {
                throw refused;
            }
            var there = vfs.lookup(parent, name);
            if (!there.isDirectory()) {
                throw new FsException(FsError.NOT_DIRECTORY, "%s: the volume has a file of that name".formatted(directory.path()));
            }
            return there.ino();
        }
    }

    private void addSymlink(Local link, long parent, Name name) throws IOException {
        var target = Files.readSymbolicLink(link.path()).toString().getBytes(StandardCharsets.UTF_8);
        try {
            vfs.unlink(parent, name);
        } catch (FsException refused) {
            if (refused.error() != FsError.NO_ENTRY) {
                throw refused;
            }
        }
        var made = vfs.makeSymlink(parent, name, target, ownerOf(link));
        vfs.change(made.ino(), AttributeChange.NONE.withAtime(link.atime()).withMtime(link.mtime()));
        tally.file();
    }

    private Owner ownerOf(Local file) {
        return owner.orElse(new Owner(file.uid(), file.gid()));
    }

    // ---- on the crew's threads

    private void importBatch(List<Waiting> files) throws IOException {
        tally.check();
        var buffer = batchBuffer.get().clear();
        var pieces = new ArrayList<Import.Piece>();
        var origins = new ArrayList<Waiting>();
        for (var waiting : files) {
            var bytes = readWhole(waiting, buffer);
            if (bytes != null) {
                var file = waiting.file();
                pieces.add(new Import.Piece(waiting.parent(), waiting.name(), file.mode(), ownerOf(file), file.atime(), file.mtime(), bytes));
                origins.add(waiting);
            }
        }
        if (pieces.isEmpty()) {
            return;
        }
        var answers = importer.run(pieces);
        for (int i = 0; i < answers.size(); i++) {
            if (answers.get(i).isPresent()) {
                tally.failed(origins.get(i).file().path().toString(), answers.get(i).get().text());
            } else {
                tally.bytes(pieces.get(i).bytes().limit());
                tally.file();
            }
        }
    }

    /** The file's bytes as a part of the buffer; null if it cannot be read, or has grown too large (it is streamed then). */
    private ByteBuffer readWhole(Waiting waiting, ByteBuffer buffer) throws IOException {
        try (var channel = FileChannel.open(waiting.file().path(), StandardOpenOption.READ)) {
            int start = buffer.position();
            long room = Math.min(buffer.remaining(), waiting.file().size() + 1);
            buffer.limit(start + (int) room);
            while (buffer.hasRemaining() && channel.read(buffer) >= 0) {
                // until the file ends
            }
            int end = buffer.position();
            buffer.limit(buffer.capacity());
            if (end - start != waiting.file().size()) {   // it changed since it was listed
                buffer.position(start);
                stream(waiting.file(), waiting.parent(), waiting.name());
                return null;
            }
            return buffer.slice(start, end - start);
        } catch (FileSystemException unreadable) {
            buffer.limit(buffer.capacity());
            tally.failed(waiting.file().path().toString(), unreadable);
            return null;
        }
    }

    private void stream(Local file, long parent, Name name) throws IOException {
        FileChannel channel;
        try {
            channel = FileChannel.open(file.path(), StandardOpenOption.READ);
        } catch (FileSystemException unreadable) {
            tally.failed(file.path().toString(), unreadable);
            return;
        }
        try (channel; var target = vfs.createUnnamed(file.mode(), ownerOf(file))) {
            copy(channel, target);
            target.flush();
            vfs.change(target.ino(), AttributeChange.NONE.withMode(file.mode()).withAtime(file.atime()).withMtime(file.mtime()));
            vfs.place(target, parent, name);
        }
        tally.file();
    }

    private void copy(ReadableByteChannel source, OpenFile target) throws IOException {
        var buffer = streamBuffer.get();
        long offset = 0;
        while (true) {
            tally.check();
            buffer.clear();
            while (buffer.hasRemaining() && source.read(buffer) >= 0) {
                // until full or at the end
            }
            if (buffer.position() == 0) {
                return;
            }
            int count = target.write(offset, buffer.flip());
            offset += count;
            tally.bytes(count);
        }
    }

    /** Copies a stream of unknown length to {@code name} in the directory. */
    public void add(InputStream source, long parent, Name name, int mode, Owner streamOwner) throws IOException {
        tally.found(0);
        try (var target = vfs.createUnnamed(mode, streamOwner)) {
            copy(Channels.newChannel(source), target);
            vfs.place(target, parent, name);
        }
        tally.file();
    }

    /** Waits for everything added; it then survives power loss. */
    public Summary finish() throws IOException {
        submitBatch();
        crew.finish();
        for (var directory : directories.reversed()) {
            var local = directory.local();
            vfs.change(directory.ino(), AttributeChange.NONE.withAtime(local.atime()).withMtime(local.mtime()));
        }
        vfs.sync();
        return tally.summary();
    }

    @Override
    public void close() {
        crew.close();
    }
}
