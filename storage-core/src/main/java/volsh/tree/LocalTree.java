package volsh.tree;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import volsh.fs.Attributes;
import volsh.transfer.LocalFiles;

/** Local files. A directory is listed as it is asked for, and its names are sorted in memory. */
final class LocalTree implements FileTree {
    private static final String NOT_DIRECTORY = "Not a directory";

    private final Path top;
    private final TemporaryFiles temporaries = new TemporaryFiles();
    private volatile boolean written;

    LocalTree(Path top) {
        this.top = top;
    }

    @Override
    public String name(String path) {
        return path.isEmpty() ? top.toString() : top + (top.endsWith("/") ? "" : "/") + path;
    }

    private Path resolve(String path) {
        return path.isEmpty() ? top : LocalFiles.below(top, path);
    }

    /** The path of a new file: the names of a key may lead out of the tree, and must not. */
    private Path allowed(String path) throws IOException {
        FileNames.require(path, name(""));
        return resolve(path);
    }

    private static TreeEntry entry(String path, Path file) throws IOException {
        var found = LocalFiles.stat(file);
        var attributes = new Attributes(
                found.identity().inode(), found.kind(), found.mode(), found.uid(), found.gid(), found.links(),
                found.size(), found.size(), found.atime(), found.mtime(), found.mtime(), 0, 0);
        return new TreeEntry(path, attributes, "", new TreeEntry.Origin.File(file));
    }

    @Override
    public Optional<TreeEntry> find(String path) throws IOException {
        var file = resolve(path);
        try {
            // the place itself may be a link to a directory, as for every command
            boolean followed = path.isEmpty() && Files.isDirectory(file);
            return Optional.of(entry(path, followed ? file.toRealPath() : file));
        } catch (NoSuchFileException none) {
            return Optional.empty();
        } catch (FileSystemException failed) {
            if (NOT_DIRECTORY.equals(failed.getReason())) {
                return Optional.empty();        // a file has the name of a directory above it
            }
            throw failed;
        }
    }

    @Override
    public TreeCursor children(String path) throws IOException {
        return children(path, resolve(path));
    }

    private TreeCursor children(String path, Path directory) throws IOException {
        var found = new ArrayList<TreeEntry>();
        try (var listing = Files.newDirectoryStream(directory)) {
            for (var file : listing) {
                String name = LocalFiles.text(file.getFileName());
                if (!TemporaryFiles.isOne(name)) {
                    add(found, path.isEmpty() ? name : path + '/' + name, file);
                } else if (written) {
                    temporaries.found(file);
                }
            }
        } catch (DirectoryIteratorException failed) {
            throw failed.getCause();
        }
        found.sort(TreeEntry::compare);
        Iterator<TreeEntry> sorted = found.iterator();
        return () -> sorted.hasNext() ? sorted.next() : null;
    }

    private static void add(List<TreeEntry> found, String path, Path file) throws IOException {
        try {
            found.add(entry(path, file));
        } catch (NoSuchFileException gone) {
            // it was removed meanwhile
        }
    }

    @Override
    public TreeCursor below(String path) throws IOException {
        return new OrderedWalk(directory -> children(directory.path(), file(directory)), entry(path, resolve(path)));
    }

    private static Path file(TreeEntry entry) {
        if (entry.origin() instanceof TreeEntry.Origin.File(var path)) {
            return path;
        }
        throw new IllegalArgumentException("not a local file: " + entry);
    }

    @Override
    public TreeReader open(TreeEntry file) throws IOException {
        return new LocalReader(file(file));
    }

    @Override
    public String target(TreeEntry link) throws IOException {
        return Files.readSymbolicLink(file(link)).toString();
    }

    @Override
    public TreeWriter create(NewEntry file) throws IOException {
        var target = allowed(file.path());
        if (!file.path().isEmpty()) {
            makeDirectories(file.path().contains("/") ? Objects.requireNonNull(target.getParent()) : top);
        }
        written = true;
        temporaries.sweep(Objects.requireNonNull(target.toAbsolutePath().getParent()));
        return LocalWriter.open(target, file);
    }

    @Override
    public void makeDirectory(String path) throws IOException {
        written = true;
        makeDirectories(allowed(path));
    }

    private void makeDirectories(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            Files.createDirectories(directory);
        }
        for (var at = directory; at != null && !at.equals(top) && at.startsWith(top); at = at.getParent()) {
            if (Files.isSymbolicLink(at)) {
                throw new FileSystemException(at.toString(), null,
                        "symbolic links to directories are not followed here");
            }
        }
    }

    @Override
    public void makeLink(String path, String target) throws IOException {
        var link = allowed(path);
        LocalFiles.requireReplaceable(link);
        var temporary = TemporaryFiles.beside(link);
        Files.createSymbolicLink(temporary, Path.of(target));
        move(temporary, link);
    }

    static void move(Path from, Path to) throws IOException {
        try {
            Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (AtomicMoveNotSupportedException never) {
            throw new IOException("%s: cannot be renamed within its directory".formatted(to), never);
        } catch (FileSystemException failed) {
            throw naming(to, failed);
        }
    }

    /** The failure of a temporary file in words about the file that it was to become. */
    static FileSystemException naming(Path file, FileSystemException failed) {
        return switch (failed) {
            case AccessDeniedException denied -> new AccessDeniedException(file.toString());
            case NoSuchFileException gone -> new NoSuchFileException(file.toString());
            default -> new FileSystemException(file.toString(), null, failed.getReason());
        };
    }

    @Override
    public void remove(List<TreeEntry> entries) throws IOException {
        for (var entry : entries) {
            Files.deleteIfExists(file(entry));
        }
    }

    @Override
    public boolean copyTo(TreeEntry file, FileTree target, NewEntry copy) {
        return false;
    }

    @Override
    public boolean keepsAttributes() {
        return true;
    }

    @Override
    public void sync() {
        // as cp does: the system writes them out
    }

    @Override
    public void complete() throws IOException {
        temporaries.complete();
    }

    @Override
    public void close() {}

}
