package volsh.command.system;

import java.nio.file.Path;
import java.util.List;
import volsh.command.Session;
import volsh.command.run.Node;

/** The commands of this package. */
public final class SystemCommands {
    /** Where the kernel tells. */
    static final Path PROC = Path.of("/proc");

    /** /proc of this machine or, in a container, of its host. */
    static Path proc(Session session) {
        return Path.of(session.environment().getOrDefault("VOLSH_PROC", "/proc"));
    }

    private SystemCommands() {}

    public static List<Node> nodes() {
        return List.of(
                Node.group("sys", "Look at this machine's memory, disks and file systems as training sees them.",
                        Node.command("dirty", SysDirty::new),
                        Node.command("tune", SysTune::new),
                        Node.command("fstype", SysFsType::new),
                        Node.command("pagecache", SysPageCache::new)),
                Node.command("iostat", IoStat::new));
    }
}
