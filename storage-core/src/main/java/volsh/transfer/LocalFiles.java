package volsh.transfer;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import volsh.disk.LocalTrees;
import volsh.fs.Attributes;
import volsh.fs.FileKind;

/** Local files as transfers see them: POSIX attributes, times in nanoseconds. */
public final class LocalFiles {
    private static final String WANTED = "unix:mode,uid,gid,size,lastAccessTime,lastModifiedTime,dev,ino,nlink";
    private static final int SET_ID = 06000;
    private static final String NOT_PERMITTED = "Operation not permitted";

    private LocalFiles() {}

    /**
     * A device, pipe or socket is never replaced by a file: {@code /dev/null} would be gone for the whole machine.
     *
     * @throws FileSystemException if there is one
     */
    public static void requireReplaceable(Path target) throws IOException {
        try {
            if (Files.readAttributes(target, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS).isOther()) {
                throw new FileSystemException(target.toString(), null,
                        "is a device, pipe or socket, which is not replaced; '-' writes to standard output");
            }
        } catch (NoSuchFileException absent) {
            // a new file
        }
    }

    /** The identity of a file, the same under all its names. */
    public record Identity(long device, long inode) {}

    /** The result of {@code lstat} of a local file. */
    public record Local(Path path, FileKind kind, int mode, int uid, int gid, long size, long atime, long mtime,
            Identity identity, int links) {
        /** Whether size and times say that the content is still the same. */
        public boolean isUnchanged(Local later) {
            return kind == later.kind && size == later.size && mtime == later.mtime
                    && identity.device == later.identity.device && identity.inode == later.identity.inode;
        }

        /** The mode of a copy: set-id bits are kept only with the owner. */
        int mode(boolean ownerKept) {
            return ownerKept || kind == FileKind.DIRECTORY ? mode : mode & ~SET_ID;
        }
    }

    public static Local stat(Path path) throws IOException {
        Map<String, Object> found = Files.readAttributes(path, WANTED, LinkOption.NOFOLLOW_LINKS);
        int mode = (int) number(found, "mode");
        return new Local(
                path, FileKind.of(mode >>> 12 & 0xf), mode & 07777, (int) number(found, "uid"),
                (int) number(found, "gid"), number(found, "size"), number(found, "lastAccessTime"),
                number(found, "lastModifiedTime"), new Identity(number(found, "dev"), number(found, "ino")),
                (int) number(found, "nlink"));
    }

    /** A name as text, whatever the locale; bytes that are not UTF-8 become U+FFFD. */
    public static String text(Path name) {
        return new String(RawPaths.bytes(name), StandardCharsets.UTF_8);
    }

    /** The path of this text below a directory, whatever the locale. */
    public static Path below(Path directory, String path) {
        return directory.resolve(RawPaths.path(path.getBytes(StandardCharsets.UTF_8)));
    }

    /** An attribute that was asked for; times are in nanoseconds. */
    private static long number(Map<String, Object> found, String name) {
        var value = Objects.requireNonNull(found.get(name));
        return value instanceof FileTime time ? time.to(TimeUnit.NANOSECONDS) : ((Number) value).longValue();
    }

    /** A temporary name beside the target, for an unfinished file. */
    static Path temporary(Path target) {
        return target.resolveSibling(".volsh-%016x".formatted(ThreadLocalRandom.current().nextLong()));
    }

    /**
     * Gives the local file the times and mode of the other, and its owner if {@code owner}. The target of a link in
     * place of a directory is not changed.
     */
    static void imitate(Path path, Attributes attributes, boolean owner, TransferTally tally) throws IOException {
        boolean owned = own(path, attributes, owner, tally);
        times(path, attributes);
        if (attributes.isDirectory()) {
            LocalTrees.mode(path, attributes.mode());
        } else {
            Files.setAttribute(path, "unix:mode", owned ? attributes.mode() : attributes.mode() & ~SET_ID);
        }
    }

    /** The same for a symbolic link, which has no mode of its own. */
    static void imitateLink(Path link, Attributes attributes, boolean owner, TransferTally tally) throws IOException {
        own(link, attributes, owner, tally);
        times(link, attributes);
    }

    /** Sets the owner; where that is not permitted, the copy is counted as one without its owner. */
    private static boolean own(Path path, Attributes attributes, boolean owner, TransferTally tally)
            throws IOException {
        if (!owner) {
            return false;
        }
        try {
            Files.setAttribute(path, "unix:gid", attributes.gid(), LinkOption.NOFOLLOW_LINKS);
            Files.setAttribute(path, "unix:uid", attributes.uid(), LinkOption.NOFOLLOW_LINKS);
            return true;
        } catch (FileSystemException refused) {
            if (!NOT_PERMITTED.equals(refused.getReason()) && !(refused instanceof AccessDeniedException)) {
                throw refused;
            }
            tally.unkept("owners");
            return false;
        }
    }

    private static void times(Path path, Attributes attributes) throws IOException {
        Files.getFileAttributeView(path, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS).setTimes(
                time(attributes.mtime()), time(attributes.atime()), null);
    }

    /** Java turns a time before 1970 with a fraction of a second into 1970, so those lose the fraction. */
    private static FileTime time(long nanos) {
        return nanos < 0
                ? FileTime.from(Math.floorDiv(nanos, 1_000_000_000L), TimeUnit.SECONDS)
                : FileTime.from(nanos, TimeUnit.NANOSECONDS);
    }
}
