package volsh.command.mount;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A mounted file system of a few MiB, to be filled up. Skips the test where mounting is not allowed. */
record SmallDisk(Path directory) implements AutoCloseable {
    static SmallDisk mount(Path directory, int mebibytes) throws IOException {
        Files.createDirectory(directory);
        assumeTrue(run("mount", "-t", "tmpfs", "-o", "mode=0700,size=%dm".formatted(mebibytes), "volsh-test", directory.toString()),
                "mounting a small file system needs root");
        return new SmallDisk(directory);
    }

    /** Takes all space that is left. */
    void fill() throws IOException {
        var filling = directory.resolve("filling");
        try (var out = Files.newOutputStream(filling)) {
            for (int size = 1 << 20; size > 0; size /= 2) {
                fill(out, new byte[size]);
            }
        }
    }

    private static void fill(java.io.OutputStream out, byte[] bytes) {
        try {
            while (true) {
                out.write(bytes);
            }
        } catch (IOException full) {
            // that is what was wanted
        }
    }

    /** Gives it back. */
    void free() throws IOException {
        Files.delete(directory.resolve("filling"));
    }

    void makeReadOnly() throws IOException {
        if (!run("mount", "-o", "remount,ro", directory.toString())) {
            throw new IOException("cannot remount " + directory);
        }
    }

    void makeWritable() throws IOException {
        if (!run("mount", "-o", "remount,rw", directory.toString())) {
            throw new IOException("cannot remount " + directory);
        }
    }

    @Override
    public void close() throws IOException {
        run("umount", "-l", directory.toString());
    }

    private static boolean run(String... command) throws IOException {
        return new ProcessBuilder(command).start().onExit().join().exitValue() == 0;
    }
}
