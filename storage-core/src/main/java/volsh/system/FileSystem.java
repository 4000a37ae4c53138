package volsh.system;

import java.io.IOException;
import java.nio.file.Path;
import volsh.fuse.MountTable;

/** The file system of a path, and whether it suits data, caches and journals of training. */
public record FileSystem(Path path, Path mountPoint, String type, String source) {
    /** Follows links in the path, which must exist. */
    public static FileSystem of(Path path) throws IOException {
        var real = path.toRealPath();
        var line = MountTable.above(real).orElseThrow(() -> new IOException("the kernel lists no mount above " + real));
        return new FileSystem(real, line.mountPoint(), line.type(), line.source());
    }

    public Kind kind() {
        return switch (type) {
            case "tmpfs", "ramfs", "devtmpfs" -> Kind.MEMORY;
            case "nfs", "nfs4", "cifs", "smb3", "lustre", "ceph", "gpfs", "beegfs", "9p", "virtiofs",
                    "glusterfs" -> Kind.NETWORK;
            case "overlay", "aufs" -> Kind.LAYERED;
            case MountTable.TYPE -> Kind.VOLSH;
            case "ext4", "ext3", "ext2", "xfs", "btrfs", "zfs", "f2fs", "bcachefs" -> Kind.LOCAL;
            default -> type.startsWith("fuse") ? Kind.NETWORK : Kind.OTHER;
        };
    }

    /** What to know before using it. */
    public enum Kind {
        LOCAL("a local disk: good for caches, journals and metadata"),
        MEMORY("memory: fast, but uses the job's memory and is lost on a restart: for scratch data only, "
                + "not for a journal"),
        NETWORK("a network or user-space file system: not suitable for caches, journals or embedded metadata"),
        LAYERED("the layers of a container: data is lost with the container, and writes are slow: "
                + "bind-mount a disk instead"),
        VOLSH("a volsh volume: its own cache, journal or metadata cannot be on it"),
        OTHER("an unknown file system: measure it with 'volsh bench run fsync'");

        private final String advice;

        Kind(String advice) {
            this.advice = advice;
        }

        public String advice() {
            return advice;
        }
    }
}
