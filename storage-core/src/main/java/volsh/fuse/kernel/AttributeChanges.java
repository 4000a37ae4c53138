package volsh.fuse.kernel;

import java.time.InstantSource;
import java.util.OptionalLong;
import volsh.fs.AttributeChange;
import volsh.fs.Attributes;
import volsh.fs.FsException;
import volsh.fuse.Appearance;
import volsh.fuse.Times;
import volsh.fuse.kernel.FuseStructs.*;

/** Decodes what a SETATTR request is to change. */
final class AttributeChanges {
    private static final int SET_MODE = 1;
    private static final int SET_UID = 1 << 1;
    private static final int SET_GID = 1 << 2;
    private static final int SET_SIZE = 1 << 3;
    private static final int SET_ATIME = 1 << 4;
    private static final int SET_MTIME = 1 << 5;
    private static final int SET_ATIME_NOW = 1 << 7;
    private static final int SET_MTIME_NOW = 1 << 8;

    private final Appearance appearance;
    private final InstantSource clock;

    AttributeChanges(Appearance appearance, InstantSource clock) {
        this.appearance = appearance;
        this.clock = clock;
    }

    AttributeChanges(Appearance appearance) {
        this(appearance, InstantSource.system());
    }

    /** The new size, if it is to change. */
    static OptionalLong size(Request in) {
        return (in.get(SetattrIn.VALID) & SET_SIZE) != 0 ? OptionalLong.of(in.get(SetattrIn.SIZE))
                : OptionalLong.empty();
    }

    /** The part of a change that the mount does not show already. @throws FsException NOT_PERMITTED */
    AttributeChange allowed(Attributes real, AttributeChange asked) throws FsException {
        return appearance.equals(Appearance.REAL) ? asked : appearance.of(real, asked);
    }

    AttributeChange of(Request in) {
        int valid = in.get(SetattrIn.VALID);
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
}
