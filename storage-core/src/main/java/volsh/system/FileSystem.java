package volsh.system;

import java.io.IOException;
import java.nio.file.Path;
import volsh.fuse.MountTable;

/** The file system a path is on, and what that means for data, caches and journals of training. */
public record FileSystem(Path path, Path mountPoint, String type, String source) {
    /** The path is followed through links; it has to exist. */
    public static FileSystem of(Path path) throws IOException {
        var real = path.toRealPath();
        var line = MountTable.above(real).orElseThrow(() -> new IOException("the kernel lists no mount above " + real));
        return new FileSystem(real, line.mountPoint(), line.type(), line.source());
    }

    public Kind kind() {
        return switch (type) {
            case "tmpfs", "ramfs", "devtmpfs" -> Kind.MEMORY;
            case "nfs", "nfs4", "cifs", "smb3", "lustre", "ceph", "gpfs", "beegfs", "9p", "virtiofs", "glusterfs" -> Kind.NETWORK;
            case "overlay", "aufs" -> Kind.LAYERED;
            case MountTable.TYPE -> Kind.VOLSH;
            case "ext4", "ext3", "ext2", "xfs", "btrfs", "zfs", "f2fs", "bcachefs" -> Kind.LOCAL;
            default -> type.startsWith("fuse") ? Kind.NETWORK : Kind.OTHER;
        };
    }

    /** What to know before it holds something. */
    public enum Kind {
        LOCAL("a local disk: good for caches, journals and metadata"),
        MEMORY("memory: fast, counts against the job's memory, and a restart empties it: scratch data only, no journal"),
        NETWORK("behind a network or another program: no place for caches, journals or embedded metadata"),
        LAYERED("a container's layers: data there goes with the container, and writes are slow: bind-mount a disk instead"),
        VOLSH("a volume: its cache, journal or metadata may not lie on itself"),
        OTHER("not one we know: measure it with 'volsh bench run fsync'");

        private final String advice;

        Kind(String advice) {
            this.advice = advice;
        }

        public String advice() {
            return advice;
        }
    }
}
