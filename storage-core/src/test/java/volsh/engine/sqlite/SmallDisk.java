package volsh.engine.sqlite;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;

/** A mounted file system of a few MiB, to be filled up. Skips the test where mounting is not allowed. */
record SmallDisk(Path directory) implements AutoCloseable {
    static SmallDisk mount(Path directory, int bytes) throws IOException {
        Files.createDirectory(directory);
        var options = "mode=0700,size=" + bytes;
        Assumptions.assumeTrue(run("mount", "-t", "tmpfs", "-o", options, "volsh-test", directory.toString()),
                "mounting a small file system needs root");
        return new SmallDisk(directory);
    }

    void makeReadOnly() throws IOException {
        if (!run("mount", "-o", "remount,ro", directory.toString())) {
            throw new IOException("cannot remount " + directory);
        }
    }

    @Override
    public void close() throws IOException {
        if (!run("umount", directory.toString())) {
            throw new IOException("cannot unmount " + directory);
        }
    }

    private static boolean run(String... command) throws IOException {
        return new ProcessBuilder(command).start().onExit().join().exitValue() == 0;
    }
}
