package volsh.bucket;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import volsh.block.RefusedException;
import volsh.block.UnavailableException;
import volsh.object.NoSuchObjectException;
import volsh.object.ObjectChangedException;
import volsh.object.ObjectHeaders;
import volsh.object.ObjectInfo;
import volsh.object.ObjectPage;
import volsh.object.ObjectQuery;
import volsh.object.ObjectStore;
import volsh.object.ObjectUpload;
import volsh.object.PutCondition;
import volsh.object.UnfinishedUpload;

/**
 * A directory of files as a bucket that is only read: the key of a file is its path. Its ETag is made of inode, length
 * and time of the last change, so a program that changes a file and sets its time back is not noticed. Symbolic links
 * are not followed; only regular files are objects.
 */
final class DirectoryObjects implements ObjectStore {
    private final Path root;
    private final String name;
    private volatile @Nullable Sorted large;

    DirectoryObjects(Path root) {
        this.root = root;
        this.name = "file://" + root;
    }

    @Override
    public ObjectPage list(ObjectQuery query) throws IOException {
        requireRoot();
        if (query.after().isEmpty()) {
            large = null;
        }
        String above = query.prefix().substring(0, query.prefix().lastIndexOf('/') + 1);
        var directory = above.isEmpty() ? Optional.of(root) : resolved(above);
        if (directory.isEmpty()) {
            return new ObjectPage(List.of(), List.of(), Optional.empty());
        }
        if (query.grouped()) {
            return grouped(directory.get(), above, query);
        }
        var page = new ArrayList<ObjectInfo>();
        boolean more = !walk(directory.get(), above, query, page);
        return new ObjectPage(page, List.of(), more ? Optional.of(page.getLast().key()) : Optional.empty());
    }

    /** What is directly in a directory, and directories in it that have files. */
    private ObjectPage grouped(Path directory, String above, ObjectQuery query) throws IOException {
        var objects = new ArrayList<ObjectInfo>();
        var groups = new ArrayList<String>();
        String last = "";
        for (byte[] name : children(directory)) {
            String key = above + new String(name, StandardCharsets.UTF_8);
            if (!key.startsWith(query.prefix()) || compare(key, query.after()) <= 0) {
                continue;
            }
            if (objects.size() + groups.size() == query.limit()) {
                return new ObjectPage(objects, groups, Optional.of(last));
            }
            if (!key.endsWith("/")) {
                find(root.resolve(key), key).ifPresent(objects::add);
            } else if (hasFiles(root.resolve(key))) {
                groups.add(key);
            }
            last = key;
        }
        return new ObjectPage(objects, groups, Optional.empty());
    }

    private static boolean hasFiles(Path directory) throws IOException {
        try (var all = Files.walk(directory)) {
            return all.anyMatch(path -> Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS));
        } catch (NoSuchFileException | UncheckedIOException gone) {
            return false;
        }
    }

    /** The directory of a key that ends with a slash; empty if there is none. */
    private Optional<Path> resolved(String key) {
        var path = root.resolve(key).normalize();
        boolean isItsOwn = path.startsWith(root) && (root.relativize(path) + "/").equals(key);
        return isItsOwn && Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS) ? Optional.of(path) : Optional.empty();
    }

    /** Adds files in the order of their keys' bytes; false if there may be more than the limit. */
    private boolean walk(Path directory, String above, ObjectQuery query, List<ObjectInfo> page) throws IOException {
        for (byte[] name : children(directory)) {
            String key = above + new String(name, StandardCharsets.UTF_8);
            if (key.endsWith("/")) {
                boolean mayMatch = key.startsWith(query.prefix()) || query.prefix().startsWith(key);
                boolean mayFollow = query.after().startsWith(key) || compare(key, query.after()) > 0;
                if (mayMatch && mayFollow && !walk(root.resolve(key), key, query, page)) {
                    return false;
                }
            } else if (key.startsWith(query.prefix()) && compare(key, query.after()) > 0) {
                if (page.size() == query.limit()) {
                    return false;
                }
                find(root.resolve(key), key).ifPresent(page::add);
            }
        }
        return true;
    }

    private static int compare(String a, String b) {
        return Arrays.compareUnsigned(a.getBytes(StandardCharsets.UTF_8), b.getBytes(StandardCharsets.UTF_8));
    }

    /** A large directory whose names are sorted once for all pages of its listing. */
    private record Sorted(Path directory, List<byte[]> names) {}

    /** The names in it as listings order them: a directory is sorted with its slash. */
    private List<byte[]> children(Path directory) throws IOException {
        var known = large;
        if (known != null && known.directory().equals(directory)) {
            return known.names();
        }
        var found = new ArrayList<byte[]>();
        try (DirectoryStream<Path> listed = Files.newDirectoryStream(directory)) {
            for (var path : listed) {
                boolean isDirectory = Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS);
                if (isDirectory || Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)) {
                    found.add((path.getFileName() + (isDirectory ? "/" : "")).getBytes(StandardCharsets.UTF_8));
                }
            }
        }
        found.sort(Arrays::compareUnsigned);
        if (found.size() > ObjectQuery.LIMIT_MAX) {
            large = new Sorted(directory, found);
        }
        return found;
    }

    private void requireRoot() throws IOException {
        if (!Files.isDirectory(root)) {
            throw new UnavailableException("no directory %s".formatted(root), null);
        }
    }

    private static Optional<ObjectInfo> find(Path file, String key) throws IOException {
        try {
            var now = Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            return now.isRegularFile() ? Optional.of(new ObjectInfo(key, now.size(), now.lastModifiedTime().toInstant(),
                    etag(now), Map.of())) : Optional.empty();
        } catch (NoSuchFileException | FileNotFoundException gone) {
            return Optional.empty();
        }
    }

    private static String etag(BasicFileAttributes now) {
        var time = now.lastModifiedTime().toInstant();
        return "%s-%x-%x.%x".formatted(String.valueOf(now.fileKey()).replaceAll("[^0-9a-fx=,]", ""), now.size(),
                time.getEpochSecond(), time.getNano());
    }

    @Override
    public ObjectInfo head(String key) throws IOException {
        var found = find(path(key), key);
        if (found.isEmpty()) {
            requireRoot();
        }
        return found.orElseThrow(() -> new NoSuchObjectException(name, key));
    }

    private Path path(String key) throws IOException {
        var path = root.resolve(key).normalize();
        if (key.isEmpty() || !path.startsWith(root) || path.equals(root)) {
            throw new NoSuchObjectException(name, key);
        }
        return path;
    }

    @Override
    public int get(String key, long offset, ByteBuffer target, @Nullable String etag) throws IOException {
        requireState(key, etag);
        int start = target.position();
        try (var file = FileChannel.open(path(key))) {
            long at = offset;
            for (int got = 0; target.hasRemaining() && got >= 0; at += Math.max(0, got)) {
                got = file.read(target, at);
            }
        } catch (NoSuchFileException gone) {
            requireRoot();
            throw new NoSuchObjectException(name, key);
        }
        requireState(key, etag);   // it may have been changed while it was read
        return target.position() - start;
    }

    private void requireState(String key, @Nullable String etag) throws IOException {
        if (etag != null && !head(key).etag().equals(etag)) {
            throw new ObjectChangedException(name, key, etag);
        }
    }

    private RefusedException refused() {
        return new RefusedException(RefusedException.Reason.WRONG_SETTINGS,
                "%s is only read as a bucket".formatted(name));
    }

    @Override
    public ObjectInfo put(String key, ByteBuffer data, ObjectHeaders headers, PutCondition condition)
            throws IOException {
        throw refused();
    }

    @Override
    public ObjectUpload upload(String key, ObjectHeaders headers) throws IOException {
        throw refused();
    }

    @Override
    public ObjectInfo copy(String from, String to, @Nullable ObjectHeaders headers) throws IOException {
        throw refused();
    }

    @Override
    public void delete(List<String> keys) throws IOException {
        throw refused();
    }

    @Override
    public List<UnfinishedUpload> unfinished(String prefix) {
        return List.of();
    }

    @Override
    public void discard(UnfinishedUpload left) throws IOException {
        throw refused();
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public void close() {}
}
