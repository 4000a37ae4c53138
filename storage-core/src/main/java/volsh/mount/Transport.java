package volsh.mount;

import java.io.IOException;
import java.time.InstantSource;
import java.util.Locale;
import volsh.fuse.Mount;
import volsh.fuse.MountOptions;
import volsh.fuse.Space;
import volsh.fuse.jnr.JnrMount;
import volsh.fuse.kernel.KernelMount;
import volsh.vfs.Vfs;

/** How requests of programs reach a mount. */
public enum Transport {
    /** Whichever this machine and user can have: the kernel's protocol if possible. */
    AUTO,
    /** The kernel's FUSE protocol, spoken on /dev/fuse. */
    KERNEL,
    /** libfuse 2, by jnr-fuse. */
    JNR;

    /** The transport of that name. @throws IllegalArgumentException if there is none */
    static Transport of(String name) {
        return valueOf(name.toUpperCase(Locale.ROOT));
    }

    /** What {@link #AUTO} means here; the others mean themselves. */
    public Transport resolved() {
        return this != AUTO ? this : KernelMount.isPossible() ? KERNEL : JNR;
    }

    /** Two returns: a value that is one or the other would have the JVM load both to see what they have in common. */
    Mount start(Vfs vfs, MountOptions options, Space.Source space, InstantSource clock) throws IOException {
        if (resolved() == JNR) {
            return JnrMount.start(vfs, options, space, clock);
        }
        return KernelMount.start(vfs, options, space, clock);
    }

    /** As people write it. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
