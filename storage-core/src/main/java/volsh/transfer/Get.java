package volsh.transfer;

import java.io.IOException;
import java.nio.channels.WritableByteChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import volsh.fs.Attributes;
import volsh.fs.DamagedException;
import volsh.fs.FileKind;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.Name;
import volsh.fs.NoSpaceException;
import volsh.vfs.Vfs;

/**
 * Copies files and trees out of a volume. A file is written under a temporary name and renamed when it is whole;
 * unfinished files are removed when the copy stops. Modes and times are kept, symbolic links stay links, hard links and
 * holes are kept. An existing directory stays as it is. A symbolic link in place of a directory is an error and never
 * followed, because it may lead outside the target.
 */
public final class Get implements AutoCloseable {
    private final Vfs vfs;
    private final boolean keepOwner;
    private final TransferTally tally;
    private final TransferThreads crew;
    private final GetFiles files;
    private final List<NewDirectory> directories = new ArrayList<>();
    private final Map<Long, GetFiles.Waiting> firstNames = new HashMap<>();
    private final List<OtherName> otherNames = new ArrayList<>();
    private boolean updates;

    private record NewDirectory(Path path, Attributes attributes) {}

    private record OtherName(GetFiles.Waiting first, GetFiles.Waiting other) {}

    public Get(Vfs vfs, boolean keepOwner, int parallel, Observer observer) {
        this.vfs = vfs;
        this.keepOwner = keepOwner;
        this.tally = new TransferTally(observer);
        this.crew = new TransferThreads(parallel);
        this.files = new GetFiles(vfs, keepOwner, parallel, tally);
    }

    /** Skips files whose copy has the same size and modification time. */
    public Get updating() {
        updates = true;
        return this;
    }

    /** The local path of a name in a directory, byte for byte. */
    public static Path local(Path directory, Name name) {
        return RawPaths.resolve(directory, name);
    }

    /** Copies a file, link or tree of the volume to the local path. {@code shown} is its name in messages. */
    public void add(String shown, Attributes source, Path target) throws IOException {
        tally.check();
        try {
            switch (source.kind()) {
                case REGULAR -> addFile(new GetFiles.Waiting(shown, source, target));
                case DIRECTORY -> {
                    if (directory(source, target)) {
                        addContents(shown, source, target);
                    }
                }
                case SYMLINK -> files.symlink(new GetFiles.Waiting(shown, source, target));
                default -> throw new FsException(FsError.NOT_SUPPORTED, "devices, fifos and sockets are not copied");
            }
        } catch (FsException refused) {
            tally.refused(shown, refused);
        }
    }

    /** Copies the contents of a directory of the volume into a local directory. */
    public void addContents(String shown, Attributes source, Path target) throws IOException {
        var base = shown.endsWith("/") ? shown : shown + "/";
        var visitor = new TreeWalk.Visitor() {
            private final ArrayList<Path> stack = new ArrayList<>(List.of(target));

            @Override
            public boolean visit(Trail.Found found) throws IOException {
                var path = RawPaths.resolve(stack.getLast(), found.name());
                if (!found.attributes().isDirectory()) {
                    add(base + found.path(), found.attributes(), path);
                    return false;
                }
                tally.check();
                boolean usable = directory(found.attributes(), path);
                if (usable) {
                    stack.add(path);
                }
                return usable;
            }

            @Override
            public void leave(Trail.Found found) {
                stack.removeLast();
            }
        };
        try {
            new TreeWalk(vfs).below(source.ino(), visitor);
        } catch (DamagedException damaged) {   // everything else is copied or submitted
            tally.failed(shown, damaged);
        }
    }

    private static boolean isUpToDate(GetFiles.Waiting file) throws IOException {
        try {
            var copy = LocalFiles.stat(file.target());
            return copy.kind() == FileKind.REGULAR && copy.size() == file.source().size()
                    && copy.mtime() == file.source().mtime();
        } catch (NoSuchFileException none) {
            return false;
        }
    }

    private void skip(GetFiles.Waiting file) {
        if (file.source().links() > 1 && firstNames.putIfAbsent(file.source().ino(), file) == null) {
            files.isThere(file);
        }
        tally.skipped(file.source().size());
    }

    private void addFile(GetFiles.Waiting file) throws IOException {
        if (updates && isUpToDate(file)) {
            skip(file);
            return;
        }
        var first = file.source().links() > 1 ? firstNames.putIfAbsent(file.source().ino(), file) : null;
        if (first == null) {
            crew.submit(() -> files.copy(file));
        } else {
            otherNames.add(new OtherName(first, file));
        }
    }

    /** Makes the directory unless it exists; false if that is not possible. */
    private boolean directory(Attributes source, Path target) throws IOException {
        try {
            Files.createDirectory(target);
            directories.add(new NewDirectory(target, source));
        } catch (FileAlreadyExistsException there) {
            if (!Files.isDirectory(target, LinkOption.NOFOLLOW_LINKS)) {
                tally.failed(target.toString(), new FsException(FsError.NOT_DIRECTORY, Files.isSymbolicLink(target)
                        ? "a symbolic link has the name of the directory, and is not followed"
                        : "a file has the name of the directory"));
                return false;
            }
        } catch (IOException refused) {
            if (NoSpaceException.isBehind(refused)) {
                throw refused;
            }
            tally.failed(target.toString(), refused);
            return false;
        }
        tally.directory();
        return true;
    }

    /** Writes the file to a channel, reading the next part while the last one is written. */
    public void stream(Attributes source, WritableByteChannel target) throws IOException {
        tally.file(files.stream(source, target));
    }

    /** Waits for everything added. */
    public Summary finish() throws IOException {
        crew.finish();
        for (var name : otherNames) {
            tally.check();
            files.link(name.first(), name.other());
        }
        for (var directory : directories.reversed()) {
            imitate(directory);
        }
        return tally.summary();
    }

    private void imitate(NewDirectory directory) throws IOException {
        try {
            new KeptAttributes(tally, keepOwner).get(vfs, directory.attributes().ino(), directory.path());
            LocalFiles.imitate(directory.path(), directory.attributes(), keepOwner, tally);
        } catch (FileSystemException refused) {
            tally.failed(directory.path().toString(), refused);
        }
    }

    @Override
    public void close() throws IOException {
        crew.close();
        files.removeUnfinished();
    }
}
