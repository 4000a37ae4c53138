package volsh.command.mount;

import java.util.OptionalLong;
import picocli.CommandLine.Option;

/** Which process is meant, where one that was detached still writes and another one has mounted on the same directory. */
final class ProcessChoice {
    @Option(names = "--pid", paramLabel = "PID",
            description = "Choose the mount of this process: one that 'umount --lazy' detached, while another is mounted"
                    + " there (default: the one that is mounted).")
    private Long pid;

    OptionalLong pid() {
        return pid == null ? OptionalLong.empty() : OptionalLong.of(pid);
    }
}
