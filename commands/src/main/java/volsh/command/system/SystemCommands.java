package volsh.command.system;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import volsh.command.Session;
import volsh.command.run.Node;
import volsh.system.HeldLimits;

/** The commands of this package. */
public final class SystemCommands {
    /** The directories of kernel statistics. */
    static final Path PROC = Path.of("/proc");

    /** /proc of this machine or, in a container, of its host. */
    static Path proc(Session session) {
        return Path.of(session.environment().getOrDefault("VOLSH_PROC", "/proc"));
    }

    private SystemCommands() {}

    /** Warns if a killed process left the limits of dirty pages changed. */
    static void warnOfChangedLimits(Session session) throws IOException {
        HeldLimits.leftBehind(HeldLimits.RECORD).ifPresent(before -> session.warn(
                ("a killed process left the limits of dirty pages changed; to restore them to %s: "
                        + "volsh sys tune --restore").formatted(before)));
    }

    public static List<Node> nodes() {
        return List.of(
                Node.group("sys", "Inspect this machine's memory, disks and file systems for training.",
                        Node.command("dirty", SysDirty::new),
                        Node.command("tune", SysTune::new),
                        Node.command("fstype", SysFsType::new),
                        Node.command("pagecache", SysPageCache::new)),
                Node.command("iostat", IoStat::new));
    }
}
