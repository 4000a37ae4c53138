package volsh.transfer;

import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import volsh.fs.AttributeChange;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.transfer.LocalFiles.Identity;
import volsh.transfer.LocalFiles.Local;
import volsh.vfs.Vfs;

/**
 * Copies local files and trees into a volume. Small files are written in batches, with one transaction and at most one
 * block each; large ones are written without a name and placed in one step. A file therefore appears whole or not at
 * all, whenever the copy stops. Modes, times and extended attributes are kept; symbolic links stay links, hard links
 * are kept, and long runs of zeros become holes. An existing directory stays as it is.
 */
public final class Put implements AutoCloseable {
    private final Vfs vfs;
    private final Optional<Owner> owner;
    private final TransferTally tally;
    private final TransferThreads crew;
    private final Naming naming;
    private final PutFiles files;
    private final List<NewDirectory> directories = new ArrayList<>();
    private final Map<Identity, PutFiles.Waiting> firstNames = new HashMap<>();
    private final List<OtherName> otherNames = new ArrayList<>();
    private List<PutFiles.Waiting> batch = new ArrayList<>();
    private boolean updates;
    private long batchBytes;

    private record NewDirectory(long ino, Local local) {}

    private record OtherName(PutFiles.Waiting first, PutFiles.Waiting other) {}

    /** {@code owner} becomes the owner of all files; empty keeps that of each file. */
    public Put(Vfs vfs, Optional<Owner> owner, int parallel, Observer observer) {
        this.vfs = vfs;
        this.owner = owner;
        this.tally = new TransferTally(observer);
        this.crew = new TransferThreads(parallel);
        this.naming = new Naming(vfs);
        this.files = new PutFiles(vfs, owner, tally);
    }

    /**
     * Shares blocks that the volume already has: larger files are cut into pieces, and {@code told} learns what became
     * of each.
     */
    public Put sharing(Sharing.Cutting cutting, Sharing.Told told) throws IOException {
        files.share(new Sharing(vfs, tally, cutting, told));
        return this;
    }

    /** Skips files whose copy has the same size and modification time. */
    public Put updating() {
        updates = true;
        return this;
    }

    /** The last name of a local path, byte for byte. */
    public static Name name(Path path) throws IOException {
        return RawPaths.name(path);
    }

    /** Copies one local file, link or tree to {@code name} in the directory. */
    public void add(Path source, long parent, Name name) throws IOException {
        add(LocalFiles.stat(source), parent, name);
    }

    /** Copies the contents of a local directory into a directory of the volume. */
    public void addContents(Path source, long directory) throws IOException {
        addChildren(source, directory);
    }

    /** Copies a stream of unknown length to {@code name} in the directory. */
    public void add(InputStream source, long parent, Name name, int mode, Owner streamOwner) throws IOException {
        new Inflow(vfs, tally).copy(Channels.newChannel(source), Inflow.UNKNOWN, parent, mode, streamOwner,
                (file, size) -> {
            vfs.place(file, parent, name);
            tally.file(size);
            return true;
        });
    }

    private void add(Local file, long parent, Name name) throws IOException {
        tally.check();
        try {
            switch (file.kind()) {
                case REGULAR -> addFile(new PutFiles.Waiting(file, parent, name));
                case DIRECTORY -> addDirectory(file, parent, name);
                case SYMLINK -> addSymlink(file, parent, name);
                default -> throw new FsException(FsError.NOT_SUPPORTED, "a %s is not copied".formatted(word(file)));
            }
        } catch (FsException refused) {
            tally.refused(file.path().toString(), refused);
        }
    }

    private static String word(Local file) {
        return file.kind().toString().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    private boolean isUpToDate(PutFiles.Waiting file) throws IOException {
        try {
            var copy = vfs.lookup(file.parent(), file.name());
            return copy.isRegular() && copy.size() == file.local().size() && copy.mtime() == file.local().mtime();
        } catch (FsException refused) {
            if (refused.error() != FsError.NO_ENTRY) {
                throw refused;
            }
            return false;
        }
    }

    private void skip(PutFiles.Waiting file) {
        if (file.local().links() > 1 && firstNames.putIfAbsent(file.local().identity(), file) == null) {
            files.isThere(file);
        }
        tally.skipped(file.local().size());
    }

    private void addFile(PutFiles.Waiting file) throws IOException {
        if (updates && isUpToDate(file)) {
            skip(file);
            return;
        }
        var first = file.local().links() > 1 ? firstNames.putIfAbsent(file.local().identity(), file) : null;
        if (first != null) {
            otherNames.add(new OtherName(first, file));
        } else if (file.local().size() > files.smallMax()) {
            crew.submit(() -> files.stream(file));
        } else {
            addToBatch(file);
        }
    }

    private void addToBatch(PutFiles.Waiting file) throws IOException {
        if (batch.size() == files.batchCountMax() || batchBytes + file.local().size() > files.batchBytesMax()) {
            submitBatch();
        }
        batch.add(file);
        batchBytes += file.local().size();
    }

    private void submitBatch() throws IOException {
        var full = batch;
        batch = new ArrayList<>();
        batchBytes = 0;
        if (!full.isEmpty()) {
            crew.submit(() -> files.importBatch(full));
        }
    }

    private void addDirectory(Local directory, long parent, Name name) throws IOException {
        var folder = naming.directory(parent, name, directory.mode(), ownerOf(directory));
        tally.directory();
        if (folder.created()) {
            directories.add(new NewDirectory(folder.ino(), directory));
            new KeptAttributes(tally, owner.isEmpty()).put(directory.path(), vfs, folder.ino());
        }
        addChildren(directory.path(), folder.ino());
    }

    private void addChildren(Path directory, long ino) throws IOException {
        try (var children = Files.newDirectoryStream(directory)) {
            for (var child : children) {
                addChild(child, ino);
            }
        } catch (DirectoryIteratorException unreadable) {
            tally.failed(directory.toString(), Objects.requireNonNull(unreadable.getCause()));
        } catch (FileSystemException unreadable) {
            tally.failed(directory.toString(), unreadable);
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
        add(local, parent, RawPaths.name(child));
    }

    private void addSymlink(Local link, long parent, Name name) throws IOException {
        byte[] target;
        try {
            target = RawPaths.target(link.path());
        } catch (FileSystemException unreadable) {
            tally.failed(link.path().toString(), unreadable);
            return;
        }
        var made = naming.symlink(parent, name, target, ownerOf(link));
        vfs.change(made.ino(), AttributeChange.NONE.withAtime(link.atime()).withMtime(link.mtime()));
        tally.file(0);
    }

    private Owner ownerOf(Local file) {
        return owner.orElse(new Owner(file.uid(), file.gid()));
    }

    /** Waits for everything added; it then survives power loss. */
    public Summary finish() throws IOException {
        submitBatch();
        crew.finish();
        for (var name : otherNames) {
            tally.check();
            addOtherName(name.first(), name.other());
        }
        for (var directory : directories.reversed()) {
            var local = directory.local();
            new KeptAttributes(tally, owner.isEmpty()).putInherited(local.path(), vfs, directory.ino());
            vfs.change(directory.ino(), AttributeChange.NONE.withAtime(local.atime()).withMtime(local.mtime()));
        }
        vfs.sync();
        return tally.summary();
    }

    private void addOtherName(PutFiles.Waiting first, PutFiles.Waiting other) throws IOException {
        try {
            if (files.isPlaced(first)) {
                naming.link(vfs.lookup(first.parent(), first.name()).ino(), other.parent(), other.name());
                files.linked(other);
                tally.file(0);
            } else {
                files.stream(other);
            }
        } catch (FsException refused) {
            tally.refused(other.local().path().toString(), refused);
        }
    }

    @Override
    public void close() {
        crew.close();
    }
}
