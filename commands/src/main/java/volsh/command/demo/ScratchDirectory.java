package volsh.command.demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.disk.LocalTrees;
import volsh.unit.ByteSize;

/** A directory below {@code $TMPDIR} or the system's temporary one that is gone, with everything in it, when closed. */
record ScratchDirectory(Path path) implements AutoCloseable {
    private static final ByteSize NEEDED = new ByteSize(300 * ByteSize.MIB);

    static ScratchDirectory make(Map<String, String> environment) throws IOException {
        String set = environment.getOrDefault("TMPDIR", "");
        Path parent = Path.of(set.isEmpty() ? System.getProperty("java.io.tmpdir") : set);
        var scratch = new ScratchDirectory(Files.createTempDirectory(parent, "volsh-demo-"));
        var free = new ByteSize(Files.getFileStore(parent).getUsableSpace());
        if (free.compareTo(NEEDED) < 0) {
            scratch.close();
            throw CommandFailure.of(ExitCode.NO_SPACE, "DEM-0001", "the demo needs %s below %s, and %s are free"
                    .formatted(NEEDED, parent, free)).hint("TMPDIR=/var/tmp volsh demo");
        }
        return scratch;
    }

    @Override
    public void close() throws IOException {
        LocalTrees.remove(path);
    }
}
