package volsh.tree;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import volsh.fs.NoSpaceException;
import volsh.transfer.LocalFiles;

/**
 * Writes a local file under a temporary name and renames it. A large one, whose original can be named, has a name that
 * follows from that: what an interrupted process has written is used again ({@link LocalParts}).
 */
final class LocalWriter implements TreeWriter {
    private static final Set<OpenOption> NEW = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE,
            StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
    private static final Set<OpenOption> KEPT = Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE,
            StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);

    private final Path target;
    private final Path temporary;
    private final NewEntry file;
    private final FileChannel channel;
    private final Optional<LocalParts> parts;
    private boolean committed;
    private boolean useless;

    private LocalWriter(Path target, Path temporary, NewEntry file, FileChannel channel, Optional<LocalParts> parts) {
        this.target = target;
        this.temporary = temporary;
        this.file = file;
        this.channel = channel;
        this.parts = parts;
    }

    static LocalWriter open(Path target, NewEntry file) throws IOException {
        LocalFiles.requireReplaceable(target);
        if (!file.origin().isEmpty() && file.size() > file.part()) {
            try {
                var continued = continued(target, file);
                if (continued.isPresent()) {
                    return continued.get();
                }
            } catch (FileSystemException failed) {
                throw LocalTree.naming(target, failed);
            }
        }
        var temporary = TemporaryFiles.beside(target);
        try {
            return new LocalWriter(target, temporary, file, FileChannel.open(temporary, NEW), Optional.empty());
        } catch (FileSystemException failed) {
            throw LocalTree.naming(target, failed);
        }
    }

    /** What an interrupted process left, or the beginning of it; empty if another process is at it. */
    private static Optional<LocalWriter> continued(Path target, NewEntry file) throws IOException {
        String ours = TemporaryFiles.PREFIX + digest(target.getFileName().toString(), 6) + '-';
        String name = ours + digest(file.origin() + ' ' + file.part(), 6);
        var temporary = target.resolveSibling(name);
        var list = target.resolveSibling(name + TemporaryFiles.PARTS);
        sweep(target, ours, name);
        var log = FileChannel.open(list, KEPT);
        try {
            if (log.tryLock() == null) {
                log.close();
                return Optional.empty();
            }
            var channel = FileChannel.open(temporary, KEPT);
            return Optional.of(new LocalWriter(target, temporary, file, channel,
                    Optional.of(new LocalParts(list, log))));
        } catch (OverlappingFileLockException another) {
            log.close();
            return Optional.empty();
        } catch (IOException | RuntimeException failed) {
            log.close();
            throw failed;
        }
    }

    /** In hexadecimal digits. */
    static String digest(String text, int bytes) {
        return HexFormat.of().formatHex(
                CopyVerification.digest("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)), 0, bytes);
    }

    /** Removes what interrupted processes left of other states of this file, unless one of them is at it. */
    private static void sweep(Path target, String ours, String name) throws IOException {
        var directory = target.toAbsolutePath().getParent();
        try (var lists = Files.newDirectoryStream(directory, path -> path.getFileName().toString().startsWith(ours)
                && path.toString().endsWith(TemporaryFiles.PARTS)
                && !path.getFileName().toString().equals(name + TemporaryFiles.PARTS))) {
            for (var list : lists) {
                TemporaryFiles.removeUnfinished(list, Instant.MAX);
            }
        }
    }

    @Override
    public int part() {
        return 0;
    }

    @Override
    public void write(long offset, ByteBuffer bytes) throws IOException {
        try {
            for (long at = offset; bytes.hasRemaining(); ) {
                at += channel.write(bytes, at);
            }
        } catch (IOException failed) {
            throw NoSpaceException.typed("%s: %s".formatted(target, failed.getMessage()), failed);
        }
    }

    @Override
    public boolean isWritten(long offset, long length) throws IOException {
        return parts.isPresent() && parts.get().isWritten(channel, offset, length);
    }

    @Override
    public void written(long offset, long length, long crc32c) throws IOException {
        if (parts.isPresent()) {
            parts.get().written(offset, length, crc32c);
        }
    }

    @Override
    public Optional<TreeReader> reread() throws IOException {
        return Optional.of(new LocalReader(temporary));
    }

    @Override
    public void commit() throws IOException {
        if (channel.size() > file.size()) {
            channel.truncate(file.size());
        }
        channel.close();
        try {
            imitate();
        } catch (FileSystemException failed) {
            throw LocalTree.naming(target, failed);
        }
        LocalTree.move(temporary, target);
        committed = true;
        if (parts.isPresent()) {
            parts.get().remove();
        }
    }

    private void imitate() throws IOException {
        if (file.mode() >= 0) {
            Files.setAttribute(temporary, "unix:mode", file.mode());
        }
        if (file.modified() >= 0) {
            Files.setLastModifiedTime(temporary, FileTime.from(file.modified(), TimeUnit.NANOSECONDS));
        }
    }

    @Override
    public void discard() {
        useless = true;
    }

    /** Parts that could be used again stay; anything else goes. */
    @Override
    public void close() throws IOException {
        channel.close();
        if (parts.isPresent() && !useless) {
            parts.get().close();
        } else if (parts.isPresent() && !committed) {
            parts.get().remove();
        }
        if (!committed && (parts.isEmpty() || useless)) {
            Files.deleteIfExists(temporary);
        }
    }
}
