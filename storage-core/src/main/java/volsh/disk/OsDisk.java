package volsh.disk;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;
import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import volsh.fs.NoSpaceException;

/**
 * The operating system's disk. Does not follow a symbolic link at the end of a path, and uses no directory that is one
 * or that is world-writable; links further up are the administrator's responsibility.
 *
 * <p>Interrupting a thread inside a call closes the file under it (that is how channels work): threads that share a
 * file must not be interrupted.
 */
public final class OsDisk implements Disk {
    /**
     * Bytes written at a time. More would make the kernel cache them in huge pages, and a virtual machine that gives
     * its free huge pages back to the host waits for each new one: writing 4 MiB at a time took three times the CPU.
     */
    private static final int PIECE = 1 << 20;

    private static final Set<OpenOption> TO_READ = Set.of(READ, NOFOLLOW_LINKS);
    private static final Set<OpenOption> TO_EDIT = Set.of(READ, WRITE, NOFOLLOW_LINKS);
    private static final Set<OpenOption> TO_CREATE = Set.of(CREATE_NEW, READ, WRITE, NOFOLLOW_LINKS);
    private static final FileAttribute<?> FILE_MODE = mode("rw-------");
    static final FileAttribute<?> DIRECTORY_MODE = mode("rwx------");

    private final UncachedWrites uncached = new UncachedWrites();
    private final UncachedReads uncachedReads = new UncachedReads();

    private static FileAttribute<?> mode(String permissions) {
        return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions));
    }

    @Override
    public File open(Path path) throws IOException {
        return open(path, path);
    }

    /** {@code shown}: the path in messages. */
    File open(Path path, Path shown) throws IOException {
        return new OsFile(path, shown, FileChannel.open(path, TO_READ), Optional.empty());
    }

    @Override
    public File edit(Path path) throws IOException {
        return edit(path, path);
    }

    File edit(Path path, Path shown) throws IOException {
        return new OsFile(path, shown, FileChannel.open(path, TO_EDIT), Optional.empty());
    }

    @Override
    public File create(Path path) throws IOException {
        return create(path, 0);
    }

    @Override
    public File create(Path path, long size) throws IOException {
        try {
            return create(path, size, path);
        } catch (FileSystemException failed) {
            throw NoSpaceException.typed(failed);
        }
    }

    File create(Path path, long size, Path shown) throws IOException {
        return new OsFile(path, shown, FileChannel.open(path, TO_CREATE, FILE_MODE), uncached.open(path, size));
    }

    @Override
    public void makeDirectories(Path directory) throws IOException {
        Path absolute = directory.toAbsolutePath().normalize();
        if (!Files.isDirectory(absolute)) {
            makeMissing(absolute);
        } else if (absolute.getParent() != null && Files.isReadable(absolute.getParent())) {
            // Its creator may have been killed before this.
            syncDirectory(absolute.getParent());
        }
        refuseUnsafe(absolute);
    }

    @Override
    public void makeDirectories(Path parent, List<String> names) throws IOException {
        var directories = names.stream().map(name -> parent.toAbsolutePath().normalize().resolve(name)).toList();
        for (var directory : directories) {
            createDirectory(directory);
        }
        syncDirectory(parent);   // also for existing ones: their creator may have been killed before this
        for (var directory : directories) {
            refuseUnsafe(directory);
        }
    }

    @Override
    public void makePrivateDirectories(Path directory) throws IOException {
        Path absolute = directory.toAbsolutePath().normalize();
        Trust.ofThisProcess().require(absolute);
        makeDirectories(absolute);
        Trust.ofThisProcess().require(absolute);   // a missing directory has no owner yet
    }

    @Override
    public Disk hold(Path directory) throws IOException {
        return holdFromRoot(directory, false);
    }

    @Override
    public Disk makeHeld(Path directory) throws IOException {
        return holdFromRoot(directory, true);
    }

    private Disk holdFromRoot(Path directory, boolean makes) throws IOException {
        Path absolute = directory.toAbsolutePath().normalize();
        return hold(PathDescriptor.root(), absolute.getRoot(), absolute, makes);
    }

    /** Holds a directory below a held one, whose path is {@code start}. */
    Disk hold(PathDescriptor held, Path start, Path directory, boolean makes) throws IOException {
        var way = new HeldPathWalk(held, start, makes);
        Trust.ofThisProcess().enter(way, start.relativize(directory));
        Path above = way.held().path().resolve("..");
        if (makes && Files.isReadable(above)) {
            syncDirectory(above);   // also if it existed: its creator may have been killed before this
        }
        return new HeldDirectory(this, directory, way.held());
    }

    private void makeMissing(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            makeMissing(Disk.directoryOf(directory));
            makeOne(directory);
        }
    }

    /** Creates a directory that may already exist. */
    private static void createDirectory(Path directory) throws IOException {
        try {
            Files.createDirectory(directory, DIRECTORY_MODE);
        } catch (FileAlreadyExistsException there) {
            if (!Files.isDirectory(directory, NOFOLLOW_LINKS)) {
                throw there;
            }
        } catch (FileSystemException failed) {
            throw NoSpaceException.typed(failed);
        }
    }

    private void makeOne(Path directory) throws IOException {
        createDirectory(directory);
        // Also after losing the race: the winner may not have come this far.
        syncDirectory(Disk.directoryOf(directory));
    }

    private static void refuseUnsafe(Path directory) throws IOException {
        if (!Files.isDirectory(directory, NOFOLLOW_LINKS)) {
            throw new NotDirectoryException(directory + " (perhaps a symbolic link)");
        }
        if (Files.getPosixFilePermissions(directory, NOFOLLOW_LINKS).contains(PosixFilePermission.OTHERS_WRITE)) {
            throw new AccessDeniedException(directory.toString(), null, "it is world-writable (try chmod 700)");
        }
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        try {
            Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (FileSystemException failed) {
            throw NoSpaceException.typed(failed);
        }
    }

    @Override
    public void link(Path from, Path to) throws IOException {
        try {
            Files.createLink(to, from);
        } catch (FileSystemException failed) {
            throw NoSpaceException.typed(failed);
        }
    }

    @Override
    public void delete(Path path) throws IOException {
        Files.deleteIfExists(path);
    }

    @Override
    public boolean isDirectory(Path path) {
        return Files.isDirectory(path, NOFOLLOW_LINKS);
    }

    @Override
    public Optional<Stamp> stamp(Path path) throws IOException {
        try {
            var seen = Files.readAttributes(path, BasicFileAttributes.class, NOFOLLOW_LINKS);
            return Optional.of(new Stamp(seen.fileKey(), seen.size(), seen.lastModifiedTime()));
        } catch (NoSuchFileException absent) {
            return Optional.empty();
        }
    }

    /** Regular files and directories only. */
    @Override
    public List<Listed> list(Path directory) throws IOException {
        var found = new ArrayList<Listed>();
        try (var names = Files.newDirectoryStream(directory)) {
            for (Path path : names) {
                describe(path, found);
            }
        } catch (NoSuchFileException absent) {
            return List.of();
        } catch (DirectoryIteratorException failed) {
            throw failed.getCause();
        }
        found.sort(Comparator.comparing(Listed::name));
        return List.copyOf(found);
    }

    private static void describe(Path path, List<Listed> found) throws IOException {
        try {
            var seen = Files.readAttributes(path, BasicFileAttributes.class, NOFOLLOW_LINKS);
            if (seen.isDirectory() || seen.isRegularFile()) {
                long modified = seen.lastModifiedTime().toMillis();
                found.add(new Listed(path.getFileName().toString(), seen.isDirectory(), seen.size(), modified));
            }
        } catch (NoSuchFileException goneMeanwhile) {
            // a listing may miss files that are deleted meanwhile
        }
    }

    @Override
    public void syncDirectory(Path directory) throws IOException {
        try (var channel = FileChannel.open(directory, READ)) {
            channel.force(true);
        }
    }

    /** {@code direct} is a second channel to the file that bypasses the kernel's cache. */
    private final class OsFile implements File {
        private final Path path;
        private final Path shown;
        private final FileChannel channel;
        private final Optional<FileChannel> direct;

        OsFile(Path path, Path shown, FileChannel channel, Optional<FileChannel> direct) {
            this.path = path;
            this.shown = shown;
            this.channel = channel;
            this.direct = direct;
        }

        @Override
        public int read(ByteBuffer target, long position) throws IOException {
            int start = target.position();
            uncachedReads.read(path, channel, target, position);
            int total = target.position() - start;
            while (target.hasRemaining()) {
                int count = channel.read(target, position + total);
                if (count < 0) {
                    break;
                }
                total += count;
            }
            return total;
        }

        @Override
        public void write(ByteBuffer source, long position) throws IOException {
            int start = source.position();
            int end = source.limit();
            try {
                if (direct.isPresent()) {
                    uncached.write(direct.get(), source, position);
                }
                while (source.position() < end) {
                    source.limit(Math.min(end, source.position() + PIECE));
                    channel.write(source, position + source.position() - start);
                }
            } catch (IOException failed) {
                throw named(failed);
            }
        }

        /** Adds the path to a failed write: the JDK reports only the system's message ("No space left on device"). */
        private IOException named(IOException failed) {
            return failed.getClass() == IOException.class
                    ? NoSpaceException.typed(shown + ": " + failed.getMessage(), failed) : failed;
        }

        @Override
        public long size() throws IOException {
            return channel.size();
        }

        /** fdatasync: the bytes, and as much of the inode as reading them back needs, in particular the length. */
        @Override
        public void sync() throws IOException {
            try {
                channel.force(false);
            } catch (IOException failed) {
                throw named(failed);
            }
        }

        @Override
        public void close() throws IOException {
            try (channel) {
                if (direct.isPresent()) {
                    direct.get().close();
                }
            }
        }
    }
}
