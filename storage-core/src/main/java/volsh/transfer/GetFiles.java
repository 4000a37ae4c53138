package volsh.transfer;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import volsh.codec.CorruptBlockException;
import volsh.fs.Attributes;
import volsh.fs.DamagedException;
import volsh.fs.FsException;
import volsh.fs.NoSpaceException;
import volsh.vfs.Vfs;

/**
 * Copies the files of a {@link Get} in worker threads. A file that changes while it is read is read again, as in {@link
 * PutFiles}.
 */
final class GetFiles {
    private static final int ATTEMPTS = 3;
    private static final FileAttribute<?> OWN =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    private final Vfs vfs;
    private final boolean keepOwner;
    private final TransferTally tally;
    private final Outflow outflow;
    private final Set<Path> unfinished = ConcurrentHashMap.newKeySet();
    private final Set<Long> placed = ConcurrentHashMap.newKeySet();

    /** A file, its name in messages, and its target. */
    record Waiting(String shown, Attributes source, Path target) {}

    GetFiles(Vfs vfs, boolean keepOwner, int parallel, TransferTally tally) {
        this.vfs = vfs;
        this.keepOwner = keepOwner;
        this.tally = tally;
        this.outflow = new Outflow(tally, parallel);
    }

    private interface Making {
        /** Writes the file; false if it is not to be renamed to its target. */
        boolean make(Path temporary) throws IOException;
    }

    /** The file was there before. */
    void isThere(Waiting file) {
        placed.add(file.source().ino());
    }

    void copy(Waiting file) throws IOException {
        reporting(file, () -> {
            for (int attempt = 1; !tryCopy(file); attempt++) {
                if (attempt == ATTEMPTS) {
                    throw new UnreadableException(new IOException("file changed while it was being copied"));
                }
            }
        });
    }

    private boolean tryCopy(Waiting waiting) throws IOException {
        try (var file = vfs.open(waiting.source().ino())) {
            var before = file.attributes();
            return inPlace(waiting.target(), temporary -> {
                try (var channel = FileChannel.open(temporary,
                        Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS),
                        OWN)) {
                    outflow.copy(file, before, channel);
                } catch (IOException failed) {
                    throw NoSpaceException.isBehind(failed) ? full(waiting.target(), failed) : failed;
                }
                if (file.attributes().version() != before.version()) {
                    return false;
                }
                new KeptAttributes(tally, keepOwner).get(vfs, before.ino(), temporary);
                LocalFiles.imitate(temporary, before, keepOwner, tally);
                return true;
            }, () -> done(waiting, before));
        }
    }

    /** Names the target in the failure, which a channel does not. */
    private static NoSpaceException full(Path target, IOException failed) {
        return new NoSpaceException("%s: %s".formatted(target, failed.getMessage()), failed);
    }

    private void done(Waiting file, Attributes attributes) {
        if (file.source().links() > 1) {
            placed.add(file.source().ino());
        }
        tally.file(attributes.size());
    }

    void symlink(Waiting link) throws IOException {
        reporting(link, () -> {
            byte[] text = vfs.readSymlink(link.source().ino());
            inPlace(link.target(), temporary -> {
                Files.createSymbolicLink(temporary, RawPaths.path(text));
                LocalFiles.imitateLink(temporary, link.source(), keepOwner, tally);
                return true;
            }, () -> tally.file(0));
        });
    }

    /** Makes a hard link to a copied file; copies it where the local file system has no hard links. */
    void link(Waiting first, Waiting other) throws IOException {
        if (!placed.contains(first.source().ino())) {
            copy(other);
            return;
        }
        try {
            inPlace(other.target(), temporary -> {
                Files.createLink(temporary, first.target());
                return true;
            }, () -> tally.file(0));
        } catch (FileSystemException | UnsupportedOperationException unlinkable) {
            copy(other);
        }
    }

    /** Writes a file under a temporary name and renames it. */
    private boolean inPlace(Path target, Making making, Runnable done) throws IOException {
        LocalFiles.requireReplaceable(target);
        var temporary = LocalFiles.temporary(target);
        unfinished.add(temporary);
        boolean whole = making.make(temporary);
        if (whole) {
            Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            done.run();
        } else {
            Files.deleteIfExists(temporary);
        }
        unfinished.remove(temporary);
        return whole;
    }

    /**
     * Counts failures that concern one file: damaged blocks, local names that cannot be used. Any other failure, also a
     * full disk, stops the transfer.
     */
    private void reporting(Waiting file, TransferThreads.Task task) throws IOException {
        try {
            task.run();
        } catch (UnreadableException changing) {
            tally.failed(file.shown(), changing.reason());
        } catch (CorruptBlockException | DamagedException damaged) {
            tally.failed(file.shown(), damaged);
        } catch (FileSystemException local) {
            if (NoSpaceException.isBehind(local)) {
                throw local;
            }
            tally.failed(file.target().toString(), local);
        } catch (FsException refused) {
            tally.refused(file.shown(), refused);
        }
    }

    /** Removes unfinished files. */
    void removeUnfinished() throws IOException {
        for (var path : unfinished) {
            Files.deleteIfExists(path);
        }
    }

    long stream(Attributes source, WritableByteChannel target) throws IOException {
        try (var file = vfs.open(source.ino())) {
            return outflow.stream(file, file.attributes().size(), target);
        }
    }
}
