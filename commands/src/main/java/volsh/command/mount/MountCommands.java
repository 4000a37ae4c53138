package volsh.command.mount;

import java.util.List;
import volsh.command.run.Node;

/** The commands of this package. */
public final class MountCommands {
    private MountCommands() {}

    public static List<Node> nodes() {
        return List.of(
                Node.command("mount", MountVolume::new),
                Node.command("umount", Unmount::new).alias("unmount"),
                Node.group("mounts", "Show, flush and clean up mounts.",
                        Node.command("list", MountsList::new).alias("ls"),
                        Node.command("show", MountsShow::new),
                        Node.command("stats", MountsStats::new),
                        Node.command("flush", MountsFlush::new),
                        Node.command("recover", MountsRecover::new)));
    }
}
