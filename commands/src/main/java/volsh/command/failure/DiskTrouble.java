package volsh.command.failure;

import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Pattern;
import volsh.fs.NoSpaceException;
import volsh.fs.ReadOnlyDiskException;
import volsh.fs.ShellWord;

/** Problems of a full or read-only disk, with a hint that shows the state of its file system. */
final class DiskTrouble {
    private static final Pattern PATH = Pattern.compile("(?<![\\w/:])/[^\\s:,]+");
    private static final int LONGEST_CHAIN = 100;
    private static final Path HERE = Path.of(".");

    private DiskTrouble() {}

    /** The problem of a disk that is out of bytes or inodes, or of an exhausted quota. */
    static Problem full(Throwable failure) {
        boolean quota = NoSpaceException.isQuotaBehind(failure);
        var problem = Problem.of(ExitCode.NO_SPACE, quota ? "IO-0122" : "IO-0028", PlainWords.of(failure));
        return problem.hint("df -h --output=target,size,avail,iavail " + ShellWord.of(directory(failure).orElse(HERE)));
    }

    /** The problem of a read-only disk; empty if the failure has another cause. Databases report it themselves. */
    static Optional<Problem> readOnly(Throwable failure) {
        var cause = failure;
        for (int depth = 0; cause != null && depth < LONGEST_CHAIN; depth++, cause = cause.getCause()) {
            if (ReadOnlyDiskException.is(cause)) {
                var code = cause instanceof ReadOnlyDiskException ? "META-0013" : "IO-0030";
                return Optional.of(Problem.of(ExitCode.PERMISSION, code, PlainWords.of(failure))
                        .hint("findmnt -T " + ShellWord.of(directory(failure).orElse(HERE))));
            }
        }
        return Optional.empty();
    }

    /** The nearest existing directory of the file that the innermost failure names. */
    private static Optional<Path> directory(Throwable failure) {
        Optional<Path> found = Optional.empty();
        var cause = failure;
        for (int depth = 0; cause != null && depth < LONGEST_CHAIN; depth++, cause = cause.getCause()) {
            var path = path(cause);
            found = path.isPresent() ? path : found;
        }
        return found;
    }

    private static Optional<Path> path(Throwable failure) {
        if (failure instanceof FileSystemException file && file.getFile() != null) {
            return existing(file.getFile());
        }
        var matcher = PATH.matcher(String.valueOf(failure.getMessage()));
        return matcher.find() ? existing(matcher.group()) : Optional.empty();
    }

    private static Optional<Path> existing(String text) {
        try {
            Path path = Path.of(text).toAbsolutePath();
            while (!Files.isDirectory(path)) {
                path = path.getParent();
            }
            return path.getNameCount() == 0 ? Optional.empty() : Optional.of(path);
        } catch (InvalidPathException none) {
            return Optional.empty();
        }
    }
}
