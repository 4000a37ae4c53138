package volsh.fuse.kernel;

import java.io.IOException;
import java.time.InstantSource;
import volsh.fs.AttributeChange;
import volsh.fs.Attributes;
import volsh.fs.Name;
import volsh.fuse.Appearance;
import volsh.fuse.Privileges;
import volsh.fuse.Space;
import volsh.fuse.kernel.FuseStructs.*;
import volsh.vfs.Vfs;

/** The requests that change attributes, and the one about the file system as a whole. */
final class AttributeRequests {
    private static final int SET_KILL_SET_ID = 1 << 11;
    private static final int BLOCK = 4096;

    private final Vfs vfs;
    private final Appearance appearance;
    private final Space.Source space;
    private final AttributeChanges changes;
    private final Privileges privileges;

    AttributeRequests(Vfs vfs, Appearance appearance, Space.Source space, InstantSource clock, Privileges privileges) {
        this.privileges = privileges;
        this.vfs = vfs;
        this.appearance = appearance;
        this.space = space;
        this.changes = new AttributeChanges(appearance, clock);
    }

    Attributes set(Request in, long node) throws IOException {
        int valid = in.get(SetattrIn.VALID);
        var change = allowed(node, changes.of(in));
        if ((valid & SET_KILL_SET_ID) != 0) {
            privileges.drop(node, in.process());   // the reply carries the mode
        }
        var size = AttributeChanges.size(in);
        if (size.isPresent()) {
            vfs.truncate(node, size.getAsLong());
        }
        return change.equals(AttributeChange.NONE) ? vfs.attributes(node) : vfs.change(node, change);
    }

    private AttributeChange allowed(long node, AttributeChange asked) throws IOException {
        return appearance.equals(Appearance.REAL) ? asked : changes.allowed(vfs.attributes(node), asked);
    }

    void statfs(Reply reply, long node) throws IOException {
        statfs(reply, space.space(node));
    }

    static void statfs(Reply reply, Space now) {
        reply.add(Kstatfs.BYTES)
                .set(Kstatfs.BSIZE, BLOCK).set(Kstatfs.FRSIZE, BLOCK).set(Kstatfs.NAMELEN, Name.LENGTH_MAX)
                .set(Kstatfs.BLOCKS, now.totalBytes() / BLOCK)
                .set(Kstatfs.BFREE, now.freeBytes() / BLOCK).set(Kstatfs.BAVAIL, now.freeBytes() / BLOCK)
                .set(Kstatfs.FILES, now.files() + now.filesFree()).set(Kstatfs.FFREE, now.filesFree());
    }
}
