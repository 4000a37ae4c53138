package volsh.fuse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/** Mounts for users who may not: the program {@code fusermount3}, which may, does it for them. */
public final class Fusermount {
    private Fusermount() {}

    public static boolean isInstalled() {
        return find("fusermount3").isPresent();
    }

    private static Optional<Path> find(String program) {
        return Stream.of("/usr/bin", "/bin", "/usr/local/bin").map(directory -> Path.of(directory, program))
                .filter(Files::isExecutable).findFirst();
    }

    /** Mounts; the number of the open /dev/fuse. @throws IOException with the program's words if it refuses */
    public static int mount(Path point, String options) throws IOException {
        var program = find("fusermount3").orElseThrow(() -> new IOException(
                "mounting as another user than root needs fusermount3 (Debian package: fuse3), or the transport jnr and libfuse2"));
        return FusermountSocket.mount(program, point, options);
    }

    /** Takes a mount of this user away, if nobody uses it or {@code lazy}. */
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
