package volsh.command.service;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.disk.LocalTrees;
import volsh.service.SystemdUnits;
import volsh.service.Unit;

/** Where units are kept: on this machine, whose systemd then hears of changes, or in a tree that is to become one. */
final class UnitPlace {
    private static final String SYSTEM = "etc/systemd/system";
    private static final Path RUNNING = Path.of("/run/systemd/system");
    private static final long PATIENCE_SECONDS = 180;

    @Option(names = "--unit-dir", paramLabel = "DIRECTORY",
            description = "Keep units in this directory, and do not notify systemd.")
    private @Nullable Path unitDirectory;

    @Option(names = "--root", paramLabel = "DIRECTORY",
            description = "Keep units in the system below this directory, such as a future image, and do not notify"
                    + " systemd.")
    private @Nullable Path root;

    SystemdUnits units() throws IOException {
        if (unitDirectory != null && root != null) {
            throw CommandFailure.usage("--unit-dir and --root exclude each other");
        }
        var directory = unitDirectory != null ? unitDirectory : (root != null ? root : Path.of("/")).resolve(SYSTEM);
        if (root != null) {
            LocalTrees.requireWithin(root, directory);
        }
        return new SystemdUnits(directory.toAbsolutePath().normalize());
    }

    /** The unit that is meant by its own name, or by the mount point. */
    static String unit(String service) {
        return Unit.isName(service) ? service : Unit.name(Path.of(service).toAbsolutePath().normalize());
    }

    /** Is it this machine's systemd that will read them? */
    boolean isLive() {
        return unitDirectory == null && root == null;
    }

    /** @throws CommandFailure if this machine should do it and has no systemd */
    void require() {
        if (isLive() && !Files.isDirectory(RUNNING)) {
            throw CommandFailure.of(ExitCode.FAILED, "SVC-0001", "systemd does not run on this machine")
                    .hint("to write the unit for another machine, add --unit-dir ./units")
                    .hint("to mount through /etc/fstab: volsh service helper");
        }
    }

    /** Has systemd do this, if it is this machine's. */
    void tell(String... words) throws IOException, InterruptedException {
        if (!isLive()) {
            return;
        }
        var command = new ArrayList<>(List.of("systemctl"));
        command.addAll(List.of(words));
        var process = new ProcessBuilder(command).redirectErrorStream(true)
                .redirectInput(Path.of("/dev/null").toFile()).start();
        var said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
            throw CommandFailure.of(ExitCode.FAILED, "SVC-0002", "%s failed".formatted(String.join(" ", command)))
                    .detail(said);
        }
    }
}
