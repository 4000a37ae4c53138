package volsh.mount;

import java.nio.file.Path;
import java.util.List;
import volsh.assembly.CacheSettings;
import volsh.fuse.MountFlag;

/** What to mount where, and how: a volume or a bucket. It is passed to the mount's own process as a command line. */
public sealed interface MountPlan permits MountSpec, BucketSpec {
    MountSource origin();

    Path mountPoint();

    boolean has(MountFlag flag);

    Transport transport();

    CacheSettings caching();

    /** The options in force, as mount(8) writes them. */
    String options();

    /** The arguments of {@code volsh mount} that request this mount as root. */
    List<String> words();
}
