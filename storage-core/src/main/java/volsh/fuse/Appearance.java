package volsh.fuse;

import java.util.OptionalInt;
import volsh.fs.AttributeChange;
import volsh.fs.Attributes;
import volsh.fs.FsError;
import volsh.fs.FsException;

/**
 * Overrides of the owner and the permissions that a mount shows. With {@code umask}, everything has all permissions
 * except those in it; only a file without any execute bit stays non-executable, and there are no set-id and sticky
 * bits. The volume itself is not changed: new files belong to the user who creates them.
 */
public record Appearance(OptionalInt uid, OptionalInt gid, OptionalInt umask) {
    /** No overrides. */
    public static final Appearance REAL = new Appearance(OptionalInt.empty(), OptionalInt.empty(), OptionalInt.empty());

    private static final int EXECUTE = 0111;

    public Appearance {
        if (umask.isPresent() && (umask.getAsInt() & ~0777) != 0) {
            throw new IllegalArgumentException("invalid umask: it must have at most nine bits: %o"
                    .formatted(umask.getAsInt()));
        }
    }

    /** The attributes as this mount shows them. */
    public Attributes of(Attributes real) {
        if (equals(REAL)) {
            return real;
        }
        return new Attributes(
                real.ino(), real.kind(), mode(real, real.mode()), uid.orElse(real.uid()), gid.orElse(real.gid()),
                real.links(), real.size(),
                real.allocated(), real.atime(), real.mtime(), real.ctime(), real.device(), real.version());
    }

    private int mode(Attributes real, int mode) {
        if (umask.isEmpty()) {
            return mode;
        }
        int shown = 0777 & ~umask.getAsInt();
        return real.isRegular() && (mode & EXECUTE) == 0 ? shown & ~EXECUTE : shown;
    }

    /**
     * The part of a change to apply to the volume. What the mount already shows is left unchanged in the volume.
     *
     * @throws FsException NOT_PERMITTED if the mount would not show the requested result
     */
    public AttributeChange of(Attributes real, AttributeChange asked) throws FsException {
        require(uid, asked.uid());
        require(gid, asked.gid());
        if (asked.mode().isPresent() && mode(real, asked.mode().getAsInt()) != asked.mode().getAsInt()) {
            throw new FsException(FsError.NOT_PERMITTED);
        }
        return new AttributeChange(
                asked.mode(),
                uid.isPresent() ? OptionalInt.empty() : asked.uid(),
                gid.isPresent() ? OptionalInt.empty() : asked.gid(),
                asked.atime(),
                asked.mtime());
    }

    private static void require(OptionalInt shown, OptionalInt asked) throws FsException {
        if (shown.isPresent() && asked.isPresent() && shown.getAsInt() != asked.getAsInt()) {
            throw new FsException(FsError.NOT_PERMITTED);
        }
    }
}
