package volsh.vfs;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import volsh.fs.AttributeChange;
import volsh.fs.Attributes;
import volsh.fs.FileKind;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.Owner;
import volsh.fs.RenameMode;

/** The system calls, answered by a {@link Vfs} in this process. Closing it closes the files, not the Vfs. */
public final class VfsPosix implements Posix {
    private static final int PAGE = 100;

    private final Vfs vfs;
    private final Paths paths;
    private final Owner owner;
    private final Map<Integer, OpenFile> files = new HashMap<>();
    private int nextFile = 3;

    public VfsPosix(Vfs vfs) {
        this(vfs, Owner.ROOT);
    }

    public VfsPosix(Vfs vfs, Owner owner) {
        this.vfs = vfs;
        this.paths = new Paths(vfs);
        this.owner = owner;
    }

    @Override
    public int open(String path, int flags, int mode) throws IOException {
        var place = (flags & (CREATE | EXCLUSIVE)) == (CREATE | EXCLUSIVE) ? paths.place(PathText.bytes(path)) : null;
        if (place != null && place.found().isPresent()) {
            throw new FsException(FsError.EXISTS);
        }
        return opened(place == null ? openOrCreate(path, flags, mode) : create(path, mode));
    }

    private OpenFile openOrCreate(String path, int flags, int mode) throws IOException {
        try {
            var found = paths.resolve(PathText.bytes(path), (flags & NO_FOLLOW) == 0);
            if (found.kind() == FileKind.SYMLINK) {
                throw new FsException(FsError.SYMLINK_LOOP);
            }
            var file = vfs.open(found.ino());
            if ((flags & TRUNCATE) != 0) {
                file.truncate(0);
            }
            return file;
        } catch (FsException refused) {
            if (refused.error() != FsError.NO_ENTRY || (flags & CREATE) == 0) {
                throw refused;
            }
            return create(path, mode);
        }
    }

    private OpenFile create(String path, int mode) throws IOException {
        var place = paths.place(PathText.bytes(path));
        return vfs.create(place.directory(), place.name(), mode, owner);
    }

    private int opened(OpenFile file) {
        synchronized (files) {
            files.put(nextFile, file);
            return nextFile++;
        }
    }

    private OpenFile file(int number) throws FsException {
        synchronized (files) {
            var file = files.get(number);
            if (file == null) {
                throw new FsException(FsError.BAD_HANDLE);
            }
            return file;
        }
    }

    @Override
    public void close(int number) throws IOException {
        var file = file(number);
        synchronized (files) {
            files.remove(number);
        }
        file.close();
    }

    @Override
    public int pread(int file, byte[] target, long offset) throws IOException {
        return file(file).read(offset, ByteBuffer.wrap(target));
    }

    @Override
    public void pwrite(int file, byte[] bytes, long offset) throws IOException {
        file(file).write(offset, ByteBuffer.wrap(bytes));
    }

    @Override
    public void fsync(int file) throws IOException {
        file(file).fsync();
    }

    @Override
    public void ftruncate(int file, long size) throws IOException {
        file(file).truncate(size);
    }

    @Override
    public void truncate(String path, long size) throws IOException {
        vfs.truncate(stat(path).ino(), size);
    }

    @Override
    public void fallocate(int file, int mode, long offset, long length) throws IOException {
        boolean keepSize = (mode & KEEP_SIZE) != 0;
        switch (mode & ~KEEP_SIZE) {
            case 0 -> file(file).allocate(offset, length, keepSize);
            case PUNCH_HOLE -> {
                if (!keepSize) {
                    throw new FsException(FsError.NOT_SUPPORTED);
                }
                file(file).zero(offset, length, true);
            }
            case ZERO_RANGE -> file(file).zero(offset, length, keepSize);
            default -> throw new FsException(FsError.NOT_SUPPORTED);
        }
    }

    @Override
    public long seekData(int file, long offset) throws IOException {
        return file(file).seekData(offset);
    }

    @Override
    public long seekHole(int file, long offset) throws IOException {
        return file(file).seekHole(offset);
    }

    @Override
    public long copyRange(int source, long from, int target, long to, long length) throws IOException {
        return file(source).copyTo(from, file(target), to, length);
    }

    @Override
    public void mkdir(String path, int mode) throws IOException {
        var place = paths.place(PathText.bytes(path));
        vfs.makeDirectory(place.directory(), place.name(), mode, owner);
    }

    @Override
    public void rmdir(String path) throws IOException {
        var place = paths.place(PathText.bytes(path));
        vfs.removeDirectory(place.directory(), place.name());
    }

    @Override
    public void mknod(String path, FileKind kind, int mode, int device) throws IOException {
        var place = paths.place(PathText.bytes(path));
        vfs.makeNode(place.directory(), place.name(), kind, mode, owner, device);
    }

    @Override
    public void unlink(String path) throws IOException {
        var place = paths.place(PathText.bytes(path));
        vfs.unlink(place.directory(), place.name());
    }

    @Override
    public void link(String existing, String path) throws IOException {
        var place = paths.place(PathText.bytes(path));
        vfs.link(lstat(existing).ino(), place.directory(), place.name());
    }

    @Override
    public void symlink(String target, String path) throws IOException {
        var place = paths.place(PathText.bytes(path));
        vfs.makeSymlink(place.directory(), place.name(), PathText.bytes(target), owner);
    }

    @Override
    public String readlink(String path) throws IOException {
        return PathText.text(vfs.readSymlink(lstat(path).ino()));
    }

    @Override
    public void rename(String from, String to, RenameMode mode) throws IOException {
        var source = paths.place(PathText.bytes(from));
        var target = paths.place(PathText.bytes(to));
        vfs.rename(source.directory(), source.name(), target.directory(), target.name(), mode);
    }

    @Override
    public Attributes stat(String path) throws IOException {
        return paths.resolve(PathText.bytes(path), true);
    }

    @Override
    public Attributes lstat(String path) throws IOException {
        return paths.resolve(PathText.bytes(path), false);
    }

    @Override
    public Attributes fstat(int file) throws IOException {
        return file(file).attributes();
    }

    @Override
    public void chmod(String path, int mode) throws IOException {
        vfs.change(stat(path).ino(), AttributeChange.NONE.withMode(mode));
    }

    @Override
    public void fchmod(int file, int mode) throws IOException {
        vfs.change(file(file).ino(), AttributeChange.NONE.withMode(mode));
    }

    @Override
    public void chown(String path, int uid, int gid) throws IOException {
        vfs.change(stat(path).ino(), new AttributeChange(
                OptionalInt.empty(), given(uid), given(gid), OptionalLong.empty(), OptionalLong.empty()));
    }

    private static OptionalInt given(int id) {
        return id == -1 ? OptionalInt.empty() : OptionalInt.of(id);
    }

    @Override
    public void utimens(String path, long atime, long mtime) throws IOException {
        vfs.change(stat(path).ino(), times(atime, mtime));
    }

    @Override
    public void futimens(int file, long atime, long mtime) throws IOException {
        vfs.change(file(file).ino(), times(atime, mtime));
    }

    private static AttributeChange times(long atime, long mtime) {
        var change = atime == OMIT ? AttributeChange.NONE : AttributeChange.NONE.withAtime(atime);
        return mtime == OMIT ? change : change.withMtime(mtime);
    }

    @Override
    public byte[] getxattr(String path, String name) throws IOException {
        return vfs.extendedAttribute(stat(path).ino(), PathText.bytes(name));
    }

    @Override
    public void setxattr(String path, String name, byte[] value) throws IOException {
        vfs.setExtendedAttribute(stat(path).ino(), PathText.bytes(name), value, true, true);
    }

    @Override
    public void setxattr(String path, String name, byte[] value, boolean mustExist) throws IOException {
        vfs.setExtendedAttribute(stat(path).ino(), PathText.bytes(name), value, !mustExist, mustExist);
    }

    @Override
    public List<String> listxattr(String path) throws IOException {
        return vfs.extendedAttributeNames(stat(path).ino()).stream()
                .map(name -> new String(name, StandardCharsets.UTF_8)).toList();
    }

    @Override
    public void removexattr(String path, String name) throws IOException {
        vfs.removeExtendedAttribute(stat(path).ino(), PathText.bytes(name));
    }

    /** Reads pages of {@value #PAGE} but takes only part of each, as a kernel does whose buffer is full. */
    @Override
    public Directory opendir(String path) throws IOException {
        var directory = vfs.openDirectory(stat(path).ino());
        return new Directory() {
            private final ArrayDeque<OpenDirectory.Numbered> page = new ArrayDeque<>();
            private long cookie;

            @Override
            public String read() throws IOException {
                if (page.isEmpty()) {
                    var all = directory.read(cookie, PAGE);
                    page.addAll(all.subList(0, Math.min(all.size(), PAGE * 2 / 3)));
                }
                var next = page.pollFirst();
                if (next == null) {
                    return null;
                }
                cookie = next.cookie();
                return PathText.text(next.entry().name().bytes());
            }

            @Override
            public void rewind() {
                page.clear();
                cookie = 0;
            }

            @Override
            public void close() {}
        };
    }

    @Override
    public void close() throws IOException {
        for (int file : List.copyOf(files.keySet())) {
            close(file);
        }
    }
}
