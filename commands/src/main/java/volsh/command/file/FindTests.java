package volsh.command.file;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import volsh.command.failure.CommandFailure;
import volsh.fs.Attributes;
import volsh.fs.FileKind;
import volsh.unit.ByteSize;
import volsh.unit.Span;

/** The tests of {@code find}. */
final class FindTests {
    @Option(names = {"--name", "-name"}, paramLabel = "GLOB",
            description = "Match names: * is any text, ? one character, [a-z] one of these.")
    private @Nullable String name;

    @Option(names = "--iname", paramLabel = "GLOB", description = "Like --name, ignoring case.")
    private @Nullable String anyCaseName;

    @Option(names = "--path", paramLabel = "GLOB", description = "Match the whole path; * also matches slashes.")
    private @Nullable String path;

    @Option(names = {"--type", "-type"}, paramLabel = "LETTER",
            description = "Match f file, d directory, l link, p fifo, s socket, b block or c character device.")
    private @Nullable Letter type;

    @Option(names = {"--size", "-size"}, paramLabel = "[+-]SIZE",
            description = "Match this exact size; + means larger, - smaller.")
    private @Nullable String size;

    @Option(names = "--newer-than", paramLabel = "TIME",
            description = "Match files modified within this time: 30m, 2d.")
    private @Nullable Span newer;

    @Option(names = "--older-than", paramLabel = "TIME", description = "Match files not modified within this time.")
    private @Nullable Span older;

    @Option(names = {"--empty", "-empty"}, description = "Match empty files and directories.")
    private boolean empty;

    /** File types by the letters of find. */
    enum Letter {
        F(FileKind.REGULAR),
        D(FileKind.DIRECTORY),
        L(FileKind.SYMLINK),
        P(FileKind.FIFO),
        S(FileKind.SOCKET),
        B(FileKind.BLOCK_DEVICE),
        C(FileKind.CHARACTER_DEVICE);

        private final FileKind kind;

        Letter(FileKind kind) {
            this.kind = kind;
        }
    }

    /** Looks into directories. */
    interface Contents {
        boolean areNone(Attributes directory) throws IOException;
    }

    /** A test of a file, with its path and name as text. */
    interface Test {
        boolean passes(Contents contents, String path, String name, Attributes file) throws IOException;
    }

    /** All tests in one, cheap ones first. */
    Test test(Instant now) {
        var all = new ArrayList<Test>();
        if (type != null) {
            var kind = type.kind;
            all.add((contents, path, name, file) -> file.kind() == kind);
        }
        if (size != null) {
            all.add(size(size));
        }
        long nanos = Times.nanos(now);
        if (newer != null) {
            long since = nanos - newer.duration().toNanos();
            all.add((contents, path, name, file) -> file.mtime() > since);
        }
        if (older != null) {
            long until = nanos - older.duration().toNanos();
            all.add((contents, path, name, file) -> file.mtime() <= until);
        }
        addGlobs(all);
        if (empty) {
            all.add((contents, path, name, file) -> file.isDirectory() ? contents.areNone(file)
                    : file.isRegular() && file.size() == 0);
        }
        return (contents, path, name, file) -> passesAll(all, contents, path, name, file);
    }

    private void addGlobs(List<Test> all) {
        if (name != null) {
            var glob = Glob.of(name, false);
            all.add((contents, path, name, file) -> glob.matches(name));
        }
        if (anyCaseName != null) {
            var glob = Glob.of(anyCaseName, true);
            all.add((contents, path, name, file) -> glob.matches(name));
        }
        if (path != null) {
            var glob = Glob.of(path, false);
            all.add((contents, path, name, file) -> glob.matches(path));
        }
    }

    private static boolean passesAll(List<Test> all, Contents contents, String path, String name, Attributes file)
            throws IOException {
        for (var test : all) {
            if (!test.passes(contents, path, name, file)) {
                return false;
            }
        }
        return true;
    }

    private static Test size(String size) {
        char sign = size.isEmpty() ? ' ' : size.charAt(0);
        long bytes = bytes(sign == '+' || sign == '-' ? size.substring(1) : size);
        return switch (sign) {
            case '+' -> (contents, path, name, file) -> file.size() > bytes;
            case '-' -> (contents, path, name, file) -> file.size() < bytes;
            default -> (contents, path, name, file) -> file.size() == bytes;
        };
    }

    private static long bytes(String text) {
        try {
            return ByteSize.of(text).bytes();
        } catch (IllegalArgumentException notASize) {
            throw CommandFailure.usage("--size: " + String.valueOf(notASize.getMessage()).replace("try ", "try +"));
        }
    }
}
