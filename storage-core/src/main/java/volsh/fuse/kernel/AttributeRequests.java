package volsh.fuse.kernel;

import java.io.IOException;
import java.time.InstantSource;
import volsh.fs.AttributeChange;
import volsh.fs.Attributes;
import volsh.fs.Name;
import volsh.fuse.Appearance;
import volsh.fuse.Privileges;
import volsh.fuse.Space;
import volsh.fuse.Times;
import volsh.fuse.kernel.FuseStructs.*;
import volsh.vfs.Vfs;

/** The requests that change attributes, and the one about the file system as a whole. */
final class AttributeRequests {
    private static final int SET_MODE = 1;
    private static final int SET_UID = 1 << 1;
    private static final int SET_GID = 1 << 2;
    private static final int SET_SIZE = 1 << 3;
    private static final int SET_ATIME = 1 << 4;
    private static final int SET_MTIME = 1 << 5;
    private static final int SET_ATIME_NOW = 1 << 7;
    private static final int SET_MTIME_NOW = 1 << 8;
    private static final int SET_KILL_SET_ID = 1 << 11;
    private static final int BLOCK = 4096;

    private final Vfs vfs;
    private final Appearance appearance;
    private final Space.Source space;
    private final InstantSource clock;
    private final Privileges privileges;

    AttributeRequests(Vfs vfs, Appearance appearance, Space.Source space, InstantSource clock, Privileges privileges) {
        this.privileges = privileges;
        this.vfs = vfs;
        this.appearance = appearance;
        this.space = space;
        this.clock = clock;
    }

    Attributes set(Request in, long node) throws IOException {
        int valid = in.get(SetattrIn.VALID);
        var change = allowed(node, change(in, valid));
        if ((valid & SET_KILL_SET_ID) != 0) {
            privileges.drop(node, in.process());   // the reply carries the mode
        }
        if ((valid & SET_SIZE) != 0) {
            vfs.truncate(node, in.get(SetattrIn.SIZE));
        }
        return change.equals(AttributeChange.NONE) ? vfs.attributes(node) : vfs.change(node, change);
    }

    private AttributeChange allowed(long node, AttributeChange asked) throws IOException {
        return appearance.equals(Appearance.REAL) ? asked : appearance.of(vfs.attributes(node), asked);
    }

    private AttributeChange change(Request in, int valid) {
        var change = AttributeChange.NONE;
        if ((valid & SET_MODE) != 0) {
            change = change.withMode(in.get(SetattrIn.MODE) & 07777);
        }
        if ((valid & SET_UID) != 0) {
            change = change.withUid(in.get(SetattrIn.UID));
        }
        if ((valid & SET_GID) != 0) {
            change = change.withGid(in.get(SetattrIn.GID));
        }
        if ((valid & SET_ATIME) != 0) {
            change = change.withAtime((valid & SET_ATIME_NOW) != 0 ? now()
                    : Times.of(in.get(SetattrIn.ATIME), in.get(SetattrIn.ATIMENSEC)));
        }
        if ((valid & SET_MTIME) != 0) {
            change = change.withMtime((valid & SET_MTIME_NOW) != 0 ? now()
                    : Times.of(in.get(SetattrIn.MTIME), in.get(SetattrIn.MTIMENSEC)));
        }
        return change;
    }

    private long now() {
        return Times.of(clock.instant());
    }

    void statfs(Reply reply, long node) throws IOException {
        var now = space.space(node);
        reply.add(Kstatfs.BYTES)
                .set(Kstatfs.BSIZE, BLOCK).set(Kstatfs.FRSIZE, BLOCK).set(Kstatfs.NAMELEN, Name.LENGTH_MAX)
                .set(Kstatfs.BLOCKS, now.totalBytes() / BLOCK)
                .set(Kstatfs.BFREE, now.freeBytes() / BLOCK).set(Kstatfs.BAVAIL, now.freeBytes() / BLOCK)
                .set(Kstatfs.FILES, now.files() + now.filesFree()).set(Kstatfs.FFREE, now.filesFree());
    }
}
