package volsh.command.mount;

import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Selects a process, for a directory with both a detached mount that still writes and a newer mount. */
final class ProcessChoice {
    @Option(names = "--pid", paramLabel = "PID",
            description = "Select the mount of this process, such as one that 'umount --lazy' detached (default: the"
                    + " mount that is visible there).")
    private @Nullable Long pid;

    OptionalLong pid() {
        return pid == null ? OptionalLong.empty() : OptionalLong.of(pid);
    }
}
