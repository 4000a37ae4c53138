package volsh.fuse.jnr;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.time.InstantSource;
import java.util.OptionalLong;
import jnr.ffi.Pointer;
import jnr.ffi.Runtime;
import ru.serce.jnrfuse.struct.FileStat;
import ru.serce.jnrfuse.struct.Statvfs;
import ru.serce.jnrfuse.struct.Timespec;
import volsh.fs.AttributeChange;
import volsh.fs.Attributes;
import volsh.fs.Name;
import volsh.fuse.Appearance;
import volsh.fuse.Space;
import volsh.fuse.Times;
import volsh.vfs.Vfs;

/** The operations about attributes, and the one about the file system as a whole. */
final class AttributeOperations {
    private static final Runtime RUNTIME = Runtime.getSystemRuntime();
    private static final int BLOCK = 4096;
    private static final long NOW = (1L << 30) - 1;
    private static final long OMIT = (1L << 30) - 2;
    private static final long SECOND = 1_000_000_000L;

    private final Vfs vfs;
    private final JnrPaths walk;
    private final Appearance appearance;
    private final Space.Source space;
    private final InstantSource clock;

    AttributeOperations(Vfs vfs, JnrPaths walk, Appearance appearance, Space.Source space, InstantSource clock) {
        this.vfs = vfs;
        this.walk = walk;
        this.appearance = appearance;
        this.space = space;
        this.clock = clock;
    }

    void show(long path, long stat) throws IOException {
        show(appearance.of(vfs.attributes(walk.inode(path))), stat);
    }

    static void show(Attributes found, long stat) {
        var target = FileStat.of(Pointer.wrap(RUNTIME, stat));
        target.st_ino.set(found.ino());
        target.st_mode.set(found.statMode());
        target.st_nlink.set(found.links());
        target.st_uid.set(Integer.toUnsignedLong(found.uid()));
        target.st_gid.set(Integer.toUnsignedLong(found.gid()));
        target.st_rdev.set(Integer.toUnsignedLong(found.device()));
        target.st_size.set(found.size());
        target.st_blksize.set(BLOCK);
        target.st_blocks.set((found.allocated() + 511) / 512);
        show(target.st_atim, found.atime());
        show(target.st_mtim, found.mtime());
        show(target.st_ctim, found.ctime());
    }

    private static void show(Timespec target, long time) {
        target.tv_sec.set(Math.floorDiv(time, SECOND));
        target.tv_nsec.set(Math.floorMod(time, SECOND));
    }

    void mode(long path, int mode) throws IOException {
        change(walk.inode(path), AttributeChange.NONE.withMode(mode & 07777));
    }

    void owner(long path, int uid, int gid) throws IOException {
        var change = uid == -1 ? AttributeChange.NONE : AttributeChange.NONE.withUid(uid);
        change(walk.inode(path), gid == -1 ? change : change.withGid(gid));
    }

    private void change(long ino, AttributeChange asked) throws IOException {
        var change = appearance.of(vfs.attributes(ino), asked);
        if (!change.equals(AttributeChange.NONE)) {
            vfs.change(ino, change);
        }
    }

    void size(long path, long size) throws IOException {
        vfs.truncate(walk.inode(path), size);
    }

    void times(long path, long times) throws IOException {
        var change = AttributeChange.NONE;
        var atime = time(times);
        if (atime.isPresent()) {
            change = change.withAtime(atime.getAsLong());
        }
        var mtime = time(times + 16);
        if (mtime.isPresent()) {
            change = change.withMtime(mtime.getAsLong());
        }
        vfs.change(walk.inode(path), change);
    }

    private OptionalLong time(long address) {
        var time = NativeMemory.at(address, 16);
        long nanos = time.get(JAVA_LONG, 8);
        if (nanos == OMIT) {
            return OptionalLong.empty();
        }
        return OptionalLong.of(nanos == NOW ? Times.of(clock.instant())
                : Times.of(time.get(JAVA_LONG, 0), (int) nanos));
    }

    void space(long path, long statvfs) throws IOException {
        var now = space.space(walk.inode(path));
        var target = Statvfs.of(Pointer.wrap(RUNTIME, statvfs));
        target.f_bsize.set(BLOCK);
        target.f_frsize.set(BLOCK);
        target.f_blocks.set(now.totalBytes() / BLOCK);
        target.f_bfree.set(now.freeBytes() / BLOCK);
        target.f_bavail.set(now.freeBytes() / BLOCK);
        target.f_files.set(now.files() + now.filesFree());
        target.f_ffree.set(now.filesFree());
        target.f_favail.set(now.filesFree());
        target.f_namemax.set(Name.LENGTH_MAX);
    }
}
