package volsh.mount;

import java.io.IOException;
import java.time.InstantSource;
import java.util.Locale;
import volsh.fs.OtherWriters;
import volsh.fuse.BackingFiles;
import volsh.fuse.Mount;
import volsh.fuse.MountFlag;
import volsh.fuse.MountOptions;
import volsh.fuse.Space;
import volsh.fuse.jnr.JnrMount;
import volsh.fuse.kernel.KernelMount;
import volsh.vfs.Vfs;

/** How requests of programs reach a mount. */
public enum Transport {
    /** The best that this machine and user can use: the kernel's protocol if possible. */
    AUTO,
    /** The kernel's FUSE protocol, spoken on /dev/fuse. */
    KERNEL,
    /** libfuse 2, by jnr-fuse. */
    JNR;

    /** The transport of that name. @throws IllegalArgumentException if there is none */
    static Transport of(String name) {
        return valueOf(name.toUpperCase(Locale.ROOT));
    }

    /** The transport that {@link #AUTO} resolves to here; others resolve to themselves. */
    public Transport resolved() {
        return this != AUTO ? this : KernelMount.isPossible() ? KERNEL : JNR;
    }

    /** Two returns: with a conditional expression the JVM would load both classes to find their common type. */
    Mount start(Vfs vfs, MountOptions options, Space.Source space, InstantSource clock, OtherWriters others,
            BackingFiles copies) throws IOException {
        if (resolved() == JNR) {
            if (options.has(MountFlag.ACCESS_LISTS) || options.has(MountFlag.ROOT_SQUASH)
                    || options.has(MountFlag.ALL_SQUASH)) {
                throw new IOException("--acl, --root-squash and --all-squash need the kernel transport, which is not"
                        + " possible here: mount as root, or install fusermount3");
            }
            return JnrMount.start(vfs, options, space, clock);
        }
        return KernelMount.start(vfs, options, space, clock, others, copies);
    }

    /** The name for users. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
