package volsh.bucketfs;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Files;
import java.nio.file.Path;
import volsh.proc.KernelFile;

/** The process of a thread, from /proc. */
final class Processes {
    private static final String TGID = "Tgid:";
    private static final String INODE = "ino:";

    private Processes() {}

    /** Whether a process has a file open whose path ends like this and which has this inode number. */
    static boolean hasOpen(int process, String path, long inode) {
        var itself = Path.of("/proc", Integer.toString(process));
        try (var open = Files.newDirectoryStream(itself.resolve("fd"))) {
            for (var each : open) {
                if (isLink(each, "/" + path) && isInode(itself.resolve("fdinfo").resolve(each.getFileName()), inode)) {
                    return true;
                }
            }
        } catch (IOException | DirectoryIteratorException unknown) {
            // so it is not known
        }
        return false;
    }

    private static boolean isLink(Path link, String end) {
        try {
            return Files.readSymbolicLink(link).toString().endsWith(end);
        } catch (IOException closed) {
            return false;
        }
    }

    /** True also where the kernel does not say (before Linux 5.14). */
    private static boolean isInode(Path about, long inode) {
        try {
            return KernelFile.text(about).lines().filter(line -> line.startsWith(INODE))
                    .allMatch(line -> Long.parseLong(line.substring(INODE.length()).strip()) == inode);
        } catch (IOException closed) {
            return false;
        }
    }

    /** 0 if it is not known. */
    static int of(int thread) {
        if (thread == 0) {
            return 0;
        }
        try {
            return KernelFile.text(Path.of("/proc", Integer.toString(thread), "status")).lines()
                    .filter(line -> line.startsWith(TGID))
                    .mapToInt(line -> Integer.parseInt(line.substring(TGID.length()).strip())).findFirst().orElse(0);
        } catch (IOException gone) {
            return 0;
        }
    }
}
