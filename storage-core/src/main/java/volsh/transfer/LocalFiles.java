package volsh.transfer;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.FileTime;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import volsh.fs.Attributes;
import volsh.fs.FileKind;
import volsh.fs.FsException;
import volsh.fs.Name;

/** Local files as the transfer sees them: raw names, POSIX attributes in nanoseconds. */
final class LocalFiles {
    private static final char UNDECODABLE = '\uFFFD';

    private LocalFiles() {}

    /** What stat says of a local file, links not followed. */
    record Local(Path path, FileKind kind, int mode, int uid, int gid, long size, long atime, long mtime) {}

    static Local stat(Path path) throws IOException {
        Map<String, Object> found = Files.readAttributes(
                path, "unix:mode,uid,gid,size,lastAccessTime,lastModifiedTime", LinkOption.NOFOLLOW_LINKS);
        int mode = (int) found.get("mode");
        return new Local(
                path, FileKind.of(mode >>> 12 & 0xf), mode & 07777, (int) found.get("uid"), (int) found.get("gid"),
                (long) found.get("size"), nanos(found.get("lastAccessTime")), nanos(found.get("lastModifiedTime")));
    }

    private static long nanos(Object time) {
        return ((FileTime) time).to(TimeUnit.NANOSECONDS);
    }

    /** The last name of the path, byte for byte: Java shows what is not UTF-8 as a question mark, its URI does not. */
    static Name name(Path path) throws FsException {
        var text = path.getFileName().toString();
        return text.indexOf(UNDECODABLE) < 0 ? Name.of(text) : Name.of(lastRawName(path));
    }

    private static byte[] lastRawName(Path path) {
        var raw = path.toUri().getRawPath();
        var last = raw.substring(raw.lastIndexOf('/', raw.length() - 2) + 1).replace("/", "");
        var bytes = new ByteArrayOutputStream();
        for (int i = 0; i < last.length(); i++) {
            if (last.charAt(i) == '%') {
                bytes.write(Integer.parseInt(last.substring(i + 1, i + 3), 16));
                i += 2;
            } else {
                bytes.write(last.charAt(i));
            }
        }
        return bytes.toByteArray();
    }

    /** The path of {@code name} in the directory, byte for byte. */
    static Path resolve(Path directory, Name name) {
        var text = new String(name.bytes(), StandardCharsets.UTF_8);
        if (text.indexOf(UNDECODABLE) < 0) {
            return directory.resolve(text);
        }
        var encoded = new StringBuilder(directory.toAbsolutePath().toUri().toString());
        if (encoded.charAt(encoded.length() - 1) != '/') {
            encoded.append('/');
        }
        for (byte b : name.bytes()) {
            encoded.append("%%%02X".formatted(b));
        }
        return Path.of(URI.create(encoded.toString()));
    }

    /** Gives the local file the mode and times of the other, and its owner if {@code owner}. */
    static void imitate(Path path, Attributes attributes, boolean owner) throws IOException {
        if (owner) {
            Files.setAttribute(path, "unix:uid", attributes.uid(), LinkOption.NOFOLLOW_LINKS);
            Files.setAttribute(path, "unix:gid", attributes.gid(), LinkOption.NOFOLLOW_LINKS);
        }
        Files.setAttribute(path, "unix:mode", attributes.mode());
        Files.setAttribute(path, "lastAccessTime", FileTime.from(attributes.atime(), TimeUnit.NANOSECONDS));
        Files.setAttribute(path, "lastModifiedTime", FileTime.from(attributes.mtime(), TimeUnit.NANOSECONDS));
    }

    /** The same for a symbolic link, which has times and an owner but no mode of its own. */
    static void imitateLink(Path link, Attributes attributes, boolean owner) throws IOException {
        if (owner) {
            Files.setAttribute(link, "unix:uid", attributes.uid(), LinkOption.NOFOLLOW_LINKS);
            Files.setAttribute(link, "unix:gid", attributes.gid(), LinkOption.NOFOLLOW_LINKS);
        }
        Files.getFileAttributeView(link, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS).setTimes(
                FileTime.from(attributes.mtime(), TimeUnit.NANOSECONDS), FileTime.from(attributes.atime(), TimeUnit.NANOSECONDS), null);
    }

    /** Why a file could not be used, in plain words. */
    static String reason(Exception failure) {
        return switch (failure) {
            case NoSuchFileException gone -> "no such file or directory";
            case AccessDeniedException denied -> "permission denied";
            case FileAlreadyExistsException taken -> "file exists";
            case NotDirectoryException file -> "not a directory";
            case DirectoryNotEmptyException full -> "directory not empty";
            case FileSystemException other when other.getReason() != null -> other.getReason();
            default -> failure.getMessage() == null ? failure.getClass().getSimpleName() : failure.getMessage();
        };
    }
}
