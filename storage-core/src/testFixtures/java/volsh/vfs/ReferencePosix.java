package volsh.vfs;

import java.io.IOException;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import volsh.fs.Attributes;
import volsh.fs.FileKind;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.RenameMode;

/**
 * What a file system does, written down without regard to speed, size or crashes: a tree of nodes with byte arrays. The
 * oracle of the model test. Files are at most 2 GiB; there are no holes, so it has no {@code seek}.
 */
public final class ReferencePosix implements Posix {
    private final InstantSource clock;
    private final ReferenceNode root;
    private final Map<Integer, ReferenceNode> files = new HashMap<>();
    private int nextFile = 3;
    private long nextIno = 1;

    public ReferencePosix(InstantSource clock) {
        this.clock = clock;
        this.root = node(FileKind.DIRECTORY, 0755, 0, null);
    }

    private long now() {
        var moment = clock.instant();
        return moment.getEpochSecond() * 1_000_000_000L + moment.getNano();
    }

    private ReferenceNode node(FileKind kind, int mode, int device, ReferenceNode parent) {
        var node = new ReferenceNode(nextIno++, kind, device, parent);
        boolean inherits = parent != null && (parent.mode & 02000) != 0;
        node.mode = mode | (inherits && node.isDirectory() ? 02000 : 0);
        node.gid = inherits ? parent.gid : 0;
        node.atime = now();
        node.touched(now());
        return node;
    }

    // ---- paths

    private record Place(ReferenceNode directory, String name) {
        ReferenceNode found() {
            return directory.entries.get(name);
        }
    }

    private ReferenceNode find(String path, boolean follow) throws FsException {
        var parts = parts(path);
        var at = root;
        int links = 0;
        while (!parts.isEmpty()) {
            var next = step(at, parts.removeFirst());
            if (next.kind != FileKind.SYMLINK || parts.isEmpty() && !follow) {
                at = next;
                continue;
            }
            if (++links > 40) {
                throw new FsException(FsError.SYMLINK_LOOP);
            }
            parts(next.target).descendingIterator().forEachRemaining(parts::addFirst);
            at = next.target.startsWith("/") ? root : at;
        }
        return at;
    }

    private static ReferenceNode step(ReferenceNode at, String part) throws FsException {
        if (!at.isDirectory()) {
            throw new FsException(FsError.NOT_DIRECTORY);
        }
        if (part.equals("..")) {
            return at.parent;
        }
        if (PathText.bytes(part).length > 255) {
            throw new FsException(FsError.NAME_TOO_LONG);
        }
        var next = part.equals(".") ? at : at.entries.get(part);
        if (next == null) {
            throw new FsException(FsError.NO_ENTRY);
        }
        return next;
    }

    private static ArrayDeque<String> parts(String path) throws FsException {
        require(PathText.bytes(path).length < 4096, FsError.NAME_TOO_LONG);
        var parts = new ArrayDeque<>(Arrays.stream(path.split("/")).filter(part -> !part.isEmpty()).toList());
        if (path.endsWith("/")) {
            parts.addLast(".");
        }
        return parts;
    }

    private Place place(String path) throws FsException {
        var stripped = path.replaceAll("/+$", "");
        var parts = parts(stripped);
        if (parts.isEmpty() || parts.getLast().equals(".") || parts.getLast().equals("..")) {
            throw new FsException(FsError.INVALID);
        }
        String name = parts.removeLast();
        if (PathText.bytes(name).length > 255) {
            throw new FsException(FsError.NAME_TOO_LONG);
        }
        var place = new Place(find("/" + String.join("/", parts), true), name);
        if (!place.directory.isDirectory()
                || place.found() != null && !place.found().isDirectory() && stripped.length() < path.length()) {
            throw new FsException(FsError.NOT_DIRECTORY);
        }
        return place;
    }

    private static void require(boolean right, FsError error) throws FsException {
        if (!right) {
            throw new FsException(error);
        }
    }

    private static ReferenceNode regular(ReferenceNode node) throws FsException {
        require(!node.isDirectory(), FsError.IS_DIRECTORY);
        require(node.kind == FileKind.REGULAR, FsError.INVALID);
        return node;
    }

    // ---- open files

    @Override
    public int open(String path, int flags, int mode) throws FsException {
        ReferenceNode node;
        try {
            boolean exclusive = (flags & (CREATE | EXCLUSIVE)) == (CREATE | EXCLUSIVE);
            require(!exclusive || place(path).found() == null, FsError.EXISTS);
            node = find(path, (flags & NO_FOLLOW) == 0);
            require(node.kind != FileKind.SYMLINK, FsError.SYMLINK_LOOP);
            if ((flags & TRUNCATE) != 0) {
                resize(regular(node), 0);
            }
        } catch (FsException refused) {
            if (refused.error() != FsError.NO_ENTRY || (flags & CREATE) == 0) {
                throw refused;
            }
            mknod(path, FileKind.REGULAR, mode, 0);
            node = find(path, true);
        }
        files.put(nextFile, regular(node));
        return nextFile++;
    }

    private ReferenceNode file(int number) throws FsException {
        require(files.containsKey(number), FsError.BAD_HANDLE);
        return files.get(number);
    }

    @Override
    public void close(int file) throws FsException {
        file(file);
        files.remove(file);
    }

    @Override
    public int pread(int file, byte[] target, long offset) throws FsException {
        require(offset >= 0, FsError.INVALID);
        var bytes = file(file).bytes;
        int count = (int) Math.max(0, Math.min(target.length, bytes.length - offset));
        if (count > 0) {
            System.arraycopy(bytes, (int) offset, target, 0, count);
        }
        return count;
    }

    @Override
    public void pwrite(int file, byte[] bytes, long offset) throws FsException {
        require(offset >= 0, FsError.INVALID);
        var node = file(file);
        if (bytes.length > 0) {
            node.write(bytes, (int) offset);
            node.touched(now());
        }
    }

    @Override
    public void fsync(int file) throws FsException {
        file(file);
    }

    private void resize(ReferenceNode node, long size) throws FsException {
        require(size >= 0, FsError.INVALID);
        node.bytes = Arrays.copyOf(node.bytes, (int) size);
        node.touched(now());
    }

    @Override
    public void ftruncate(int file, long size) throws FsException {
        resize(file(file), size);
    }

    @Override
    public void truncate(String path, long size) throws FsException {
        var node = find(path, true);
        require(size >= 0, FsError.INVALID);
        resize(regular(node), size);
    }

    @Override
    public void fallocate(int file, int mode, long offset, long length) throws FsException {
        var node = file(file);
        require(offset >= 0 && length > 0, FsError.INVALID);
        boolean grows = (mode & KEEP_SIZE) == 0 && node.bytes.length < offset + length;
        if (grows) {
            resize(node, offset + length);
        }
        if ((mode & ~KEEP_SIZE) != 0) {
            Arrays.fill(node.bytes, (int) Math.min(offset, node.bytes.length),
                    (int) Math.min(offset + length, node.bytes.length), (byte) 0);
        }
        node.touched(now());
    }

    @Override
    public long seekData(int file, long offset) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long seekHole(int file, long offset) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long copyRange(int source, long from, int target, long to, long length) throws FsException {
        var origin = file(source);
        var node = file(target);
        int count = (int) Math.max(0, Math.min(length, origin.bytes.length - from));
        require(origin != node || count == 0 || from + count <= to || to + count <= from, FsError.INVALID);
        if (count > 0) {
            node.write(Arrays.copyOfRange(origin.bytes, (int) from, (int) from + count), (int) to);
            node.touched(now());
        }
        return count;
    }

    // ---- names

    private ReferenceNode make(String path, FileKind kind, int mode, int device) throws FsException {
        var place = place(path);
        require(place.found() == null, FsError.EXISTS);
        var node = node(kind, mode, device, place.directory);
        node.names = 1;
        place.directory.entries.put(place.name, node);
        place.directory.touched(now());
        return node;
    }

    @Override
    public void mkdir(String path, int mode) throws FsException {
        make(path, FileKind.DIRECTORY, mode, 0);
    }

    @Override
    public void mknod(String path, FileKind kind, int mode, int device) throws FsException {
        make(path, kind, mode, device);
    }

    @Override
    public void symlink(String target, String path) throws FsException {
        require(!target.isEmpty(), FsError.NO_ENTRY);
        require(PathText.bytes(target).length < 4096, FsError.NAME_TOO_LONG);
        make(path, FileKind.SYMLINK, 0777, 0).target = target;
    }

    @Override
    public void rmdir(String path) throws FsException {
        var place = place(path);
        require(place.found() != null, FsError.NO_ENTRY);
        require(place.found().isDirectory(), FsError.NOT_DIRECTORY);
        require(place.found().entries.isEmpty(), FsError.NOT_EMPTY);
        place.directory.entries.remove(place.name);
        place.directory.touched(now());
    }

    @Override
    public void unlink(String path) throws FsException {
        var place = place(path);
        require(place.found() != null, FsError.NO_ENTRY);
        require(!place.found().isDirectory(), FsError.IS_DIRECTORY);
        drop(place.directory.entries.remove(place.name));
        place.directory.touched(now());
    }

    private void drop(ReferenceNode node) {
        node.names--;
        node.ctime = now();
    }

    @Override
    public void link(String existing, String path) throws FsException {
        var place = place(path);
        var node = find(existing, false);
        require(!node.isDirectory(), FsError.NOT_PERMITTED);
        require(place.found() == null, FsError.EXISTS);
        node.names++;
        node.ctime = now();
        place.directory.entries.put(place.name, node);
        place.directory.touched(now());
    }

    @Override
    public String readlink(String path) throws FsException {
        var node = find(path, false);
        require(node.kind == FileKind.SYMLINK, FsError.INVALID);
        return node.target;
    }

    @Override
    public void rename(String from, String to, RenameMode mode) throws FsException {
        var old = place(from);
        var place = place(to);
        var source = old.found();
        var target = place.found();
        require(source != null, FsError.NO_ENTRY);
        require(mode != RenameMode.NO_REPLACE || target == null, FsError.EXISTS);
        require(mode != RenameMode.EXCHANGE || target != null, FsError.NO_ENTRY);
        require(!place.directory.isBelow(source), FsError.INVALID);
        require(target == null || !old.directory.isBelow(target),
                mode == RenameMode.EXCHANGE ? FsError.INVALID : FsError.NOT_EMPTY);
        if (source == target) {
            return;
        }
        if (mode == RenameMode.EXCHANGE) {
            put(target, old);
        } else {
            if (target != null) {
                require(!target.isDirectory() || source.isDirectory(), FsError.IS_DIRECTORY);
                require(target.isDirectory() || !source.isDirectory(), FsError.NOT_DIRECTORY);
                require(target.entries.isEmpty(), FsError.NOT_EMPTY);
                drop(target);
            }
            old.directory.entries.remove(old.name);
            old.directory.touched(now());
        }
        put(source, place);
    }

    private void put(ReferenceNode node, Place place) {
        place.directory.entries.put(place.name, node);
        place.directory.touched(now());
        node.parent = place.directory;
        node.ctime = now();
    }

    // ---- attributes

    @Override
    public Attributes stat(String path) throws FsException {
        return find(path, true).attributes();
    }

    @Override
    public Attributes lstat(String path) throws FsException {
        return find(path, false).attributes();
    }

    @Override
    public Attributes fstat(int file) throws FsException {
        return file(file).attributes();
    }

    @Override
    public void chmod(String path, int mode) throws FsException {
        chmod(find(path, true), mode);
    }

    @Override
    public void fchmod(int file, int mode) throws FsException {
        chmod(file(file), mode);
    }

    private void chmod(ReferenceNode node, int mode) {
        node.mode = mode;
        node.ctime = now();
    }

    @Override
    public void chown(String path, int uid, int gid) throws FsException {
        var node = find(path, true);
        node.uid = uid == -1 ? node.uid : uid;
        node.gid = gid == -1 ? node.gid : gid;
        node.mode &= node.isDirectory() ? 07777 : 0777;
        node.ctime = now();
    }

    @Override
    public void utimens(String path, long atime, long mtime) throws FsException {
        utimens(find(path, true), atime, mtime);
    }

    @Override
    public void futimens(int file, long atime, long mtime) throws FsException {
        utimens(file(file), atime, mtime);
    }

    private void utimens(ReferenceNode node, long atime, long mtime) {
        node.atime = atime == OMIT ? node.atime : atime;
        node.mtime = mtime == OMIT ? node.mtime : mtime;
        node.ctime = now();
    }

    @Override
    public byte[] getxattr(String path, String name) throws FsException {
        byte[] value = find(path, true).extended.get(name);
        require(value != null, FsError.NO_DATA);
        return value;
    }

    @Override
    public void setxattr(String path, String name, byte[] value) throws FsException {
        var node = find(path, true);
        node.extended.put(name, value);
        node.ctime = now();
    }

    @Override
    public void setxattr(String path, String name, byte[] value, boolean mustExist) throws FsException {
        boolean exists = find(path, true).extended.containsKey(name);
        require(exists || !mustExist, FsError.NO_DATA);
        require(!exists || mustExist, FsError.EXISTS);
        setxattr(path, name, value);
    }

    @Override
    public List<String> listxattr(String path) throws FsException {
        return List.copyOf(find(path, true).extended.keySet());
    }

    @Override
    public void removexattr(String path, String name) throws FsException {
        var node = find(path, true);
        require(node.extended.remove(name) != null, FsError.NO_DATA);
        node.ctime = now();
    }

    @Override
    public Directory opendir(String path) throws FsException {
        var node = find(path, true);
        require(node.isDirectory(), FsError.NOT_DIRECTORY);
        return new Directory() {
            private String last;

            @Override
            public String read() {
                var next = last == null ? node.entries.firstEntry() : node.entries.higherEntry(last);
                last = next == null ? last : next.getKey();
                return next == null ? null : last;
            }

            @Override
            public void rewind() {
                last = null;
            }

            @Override
            public void close() {}
        };
    }

    @Override
    public void close() throws IOException {
        files.clear();
    }
}
