package volsh.disk;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.concurrent.ThreadLocalRandom;
import volsh.proc.ProcessMark;

/**
 * Names of temporary files and directories in private places. Each names its process: what a killed process left is
 * removed when the next one needs a name of the same kind there.
 */
public final class TemporaryNames {
    private TemporaryNames() {}

    /** An unused name in {@code parent}, beginning with {@code prefix}. */
    public static Path fresh(Path parent, String prefix) {
        sweep(parent, prefix);
        return parent.resolve("%s%s-%016x".formatted(prefix, ProcessMark.own().text(),
                ThreadLocalRandom.current().nextLong()));
    }

    /** Creates a directory of such a name, for this user alone. */
    public static Path makeDirectory(Path parent, String prefix) throws IOException {
        sweep(parent, prefix);
        return Files.createTempDirectory(parent, prefix + ProcessMark.own().text() + "-");
    }

    /** Removes what dead processes of this user left. What cannot be removed stays, without harm. */
    private static void sweep(Path parent, String prefix) {
        try (var left = Files.newDirectoryStream(parent,
                path -> path.getFileName().toString().startsWith(prefix) && isLeft(path, prefix))) {
            for (var path : left) {
                LocalTrees.remove(path);
            }
        } catch (IOException | RuntimeException unremovable) {
            // see above
        }
    }

    private static boolean isLeft(Path path, String prefix) throws IOException {
        String rest = path.getFileName().toString().substring(prefix.length());
        int end = rest.indexOf('-');
        return end > 0 && new ProcessMark(rest.substring(0, end)).state() == ProcessMark.State.GONE
                && Files.getOwner(path, LinkOption.NOFOLLOW_LINKS).getName().equals(System.getProperty("user.name"));
    }
}
