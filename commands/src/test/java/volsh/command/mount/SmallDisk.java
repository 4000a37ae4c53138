package volsh.command.mount;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import volsh.disk.LocalTrees;

/** A mounted file system of a few MiB, to be filled up. Skips the test where mounting is not allowed. */
public record SmallDisk(Path directory, boolean inodes) implements AutoCloseable {
    public static SmallDisk mount(Path directory, int mebibytes) throws IOException {
        return mount(directory, mebibytes, "", false);
    }

    /** One with space for so many files and directories, which run out before the space does. */
    static SmallDisk mountInodes(Path directory, int mebibytes, int inodes) throws IOException {
        return mount(directory, mebibytes, ",nr_inodes=" + inodes, true);
    }

    private static SmallDisk mount(Path directory, int mebibytes, String options, boolean inodes) throws IOException {
        Files.createDirectory(directory);
        assumeTrue(run("mount", "-t", "tmpfs", "-o", "mode=0700,size=%dm%s".formatted(mebibytes, options), "volsh-test",
                directory.toString()), "mounting a small file system needs root");
        return new SmallDisk(directory, inodes);
    }

    /** One of a real disk's kind, in a file beside the directory. */
    static SmallDisk mountExt4(Path directory, int mebibytes) throws IOException {
        Files.createDirectory(directory);
        var image = directory.resolveSibling(directory.getFileName() + ".ext4");
        try (var file = new RandomAccessFile(image.toFile(), "rw")) {
            file.setLength((long) mebibytes << 20);
        }
        assumeTrue(run("mke2fs", "-q", "-t", "ext4", image.toString()) && run("mount", "-o", "loop", image.toString(),
                directory.toString()), "mounting a small file system needs root and a loop device");
        return new SmallDisk(directory, false);
    }

    /** Takes all space, or all inodes, that are left. */
    public void fill() throws IOException {
        if (inodes) {
            fillInodes();
        } else {
            fillSpace();
        }
    }

    private void fillInodes() throws IOException {
        LocalTrees.remove(directory.resolve("filling"));
        var filling = Files.createDirectory(directory.resolve("filling"));
        try {
            for (int i = 0; i < 1_000_000; i++) {
                Files.createFile(filling.resolve(Integer.toString(i)));
            }
        } catch (IOException full) {
            // that is what was wanted
        }
    }

    private void fillSpace() throws IOException {
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
        LocalTrees.remove(directory.resolve("filling"));
    }

    public void makeReadOnly() throws IOException {
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
