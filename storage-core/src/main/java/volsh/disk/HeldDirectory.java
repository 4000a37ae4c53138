package volsh.disk;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import volsh.fs.NoSpaceException;

/**
 * A directory that was opened once, was trusted then, and is used through its descriptor: moving it away, or putting a
 * link in its place, does not change where files are created, read and deleted. Callers and messages use the
 * directory's name.
 */
final class HeldDirectory implements Disk {
    private final OsDisk disk;
    private final Path directory;
    private final PathDescriptor descriptor;

    HeldDirectory(OsDisk disk, Path directory, PathDescriptor descriptor) {
        this.disk = disk;
        this.directory = directory;
        this.descriptor = descriptor;
    }

    private interface Call<R extends @Nullable Object> {
        R with(Path path) throws IOException;
    }

    private <R extends @Nullable Object> R call(Path path, Call<R> call) throws IOException {
        try {
            return call.with(through(path));
        } catch (NoSpaceException full) {
            throw full.getCause() instanceof FileSystemException failed ? shownAndTyped(failed) : full;
        } catch (FileSystemException failed) {
            throw shownAndTyped(failed);
        }
    }

    private IOException shownAndTyped(FileSystemException failed) {
        return NoSpaceException.typed(shown(failed, descriptor.path(), directory));
    }

    @Override
    public Path through(Path path) {
        Path absolute = path.toAbsolutePath().normalize();
        if (!absolute.startsWith(directory)) {
            throw new IllegalArgumentException("%s is not in %s".formatted(path, directory));
        }
        return descriptor.path().resolve(absolute.equals(directory) ? Path.of(".") : directory.relativize(absolute));
    }

    /** The same failure with the path that others know. */
    static FileSystemException shown(FileSystemException failed, Path held, Path directory) {
        String file = shown(failed.getFile(), held, directory);
        String other = shown(failed.getOtherFile(), held, directory);
        String reason = failed.getReason();
        var same = switch (failed) {
            case NoSuchFileException _ -> new NoSuchFileException(file, other, reason);
            case FileAlreadyExistsException _ -> new FileAlreadyExistsException(file, other, reason);
            case NotDirectoryException _ -> new NotDirectoryException(file);
            case AccessDeniedException _ -> new AccessDeniedException(file, other, reason);
            default -> new FileSystemException(file, other, reason);
        };
        same.initCause(failed);
        return same;
    }

    private static String shown(String path, Path held, Path directory) {
        boolean below = path != null && (path.equals(held.toString()) || path.startsWith(held + "/"));
        return below ? directory.resolve(held.relativize(Path.of(path))).normalize().toString() : path;
    }

    @Override
    public Disk byName() {
        return disk;
    }

    @Override
    public Disk hold(Path below) throws IOException {
        return hold(below, false);
    }

    @Override
    public Disk makeHeld(Path below) throws IOException {
        return hold(below, true);
    }

    private Disk hold(Path below, boolean makes) throws IOException {
        Path absolute = below.toAbsolutePath().normalize();
        through(absolute);
        return absolute.equals(directory) ? this : disk.hold(descriptor, directory, absolute, makes);
    }

    @Override
    public File open(Path path) throws IOException {
        return call(path, real -> disk.open(real, path));
    }

    @Override
    public File edit(Path path) throws IOException {
        return call(path, real -> disk.edit(real, path));
    }

    @Override
    public File create(Path path) throws IOException {
        return create(path, 0);
    }

    @Override
    public File create(Path path, long size) throws IOException {
        return call(path, real -> disk.create(real, size, path));
    }

    @Override
    public void makeDirectories(Path path) throws IOException {
        if (path.toAbsolutePath().normalize().equals(directory)) {
            return;
        }
        call(path, real -> {
            disk.makeDirectories(real);
            return null;
        });
    }

    @Override
    public void makeDirectories(Path parent, List<String> names) throws IOException {
        call(parent, real -> {
            disk.makeDirectories(real, names);
            return null;
        });
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        call(from, real -> {
            disk.rename(real, through(to));
            return null;
        });
    }

    @Override
    public void link(Path from, Path to) throws IOException {
        call(from, real -> {
            disk.link(real, through(to));
            return null;
        });
    }

    @Override
    public void delete(Path path) throws IOException {
        call(path, real -> {
            disk.delete(real);
            return null;
        });
    }

    @Override
    public List<Listed> list(Path path) throws IOException {
        return call(path, disk::list);
    }

    @Override
    public boolean isDirectory(Path path) {
        return disk.isDirectory(through(path));
    }

    @Override
    public Optional<Stamp> stamp(Path path) throws IOException {
        return call(path, disk::stamp);
    }

    @Override
    public void syncDirectory(Path path) throws IOException {
        call(path, real -> {
            disk.syncDirectory(real);
            return null;
        });
    }
}
