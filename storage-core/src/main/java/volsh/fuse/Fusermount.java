package volsh.fuse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/** Mounts for unprivileged users by running the privileged program {@code fusermount3}. */
public final class Fusermount {
    private Fusermount() {}

    public static boolean isInstalled() {
        return find("fusermount3").isPresent();
    }

    private static Optional<Path> find(String program) {
        return Stream.of("/usr/bin", "/bin", "/usr/local/bin").map(directory -> Path.of(directory, program))
                .filter(Files::isExecutable).findFirst();
    }

    /** Mounts and returns the descriptor of /dev/fuse. @throws IOException with the program's message if it refuses */
    public static int mount(Path point, String options) throws IOException {
        var program = find("fusermount3").orElseThrow(() -> new IOException(
                "mounting as a user other than root needs fusermount3 (Debian package: fuse3), "
                        + "or --transport jnr with libfuse2"));
        return FusermountSocket.mount(program, point, options);
    }

    /** Unmounts a mount of this user, unless it is in use and not {@code lazy}. */
    static boolean unmount(Path point, boolean lazy) {
        var program = find("fusermount3").or(() -> find("fusermount"));
        if (program.isEmpty()) {
            return false;
        }
        var process = new ProcessBuilder(program.get().toString(), lazy ? "-uqz" : "-uq", "--", point.toString())
                .redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD);
        try {
            return process.start().waitFor() == 0;
        } catch (IOException notRun) {
            return false;
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
