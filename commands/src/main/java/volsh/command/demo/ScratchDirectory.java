package volsh.command.demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import volsh.disk.LocalTrees;

/** A directory below {@code $TMPDIR} or the system's temporary one that is gone, with everything in it, when closed. */
record ScratchDirectory(Path path) implements AutoCloseable {
    static ScratchDirectory make(Map<String, String> environment) throws IOException {
        String parent = environment.getOrDefault("TMPDIR", "");
        return new ScratchDirectory(Files.createTempDirectory(
                Path.of(parent.isEmpty() ? System.getProperty("java.io.tmpdir") : parent), "volsh-demo-"));
    }

    @Override
    public void close() throws IOException {
        LocalTrees.remove(path);
    }
}
