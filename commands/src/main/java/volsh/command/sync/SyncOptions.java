package volsh.command.sync;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import volsh.command.failure.CommandFailure;
import volsh.command.file.Glob;
import volsh.fs.ShellWord;
import volsh.object.ObjectUpload;
import volsh.sync.SyncSettings;
import volsh.tree.CopySettings;
import volsh.unit.ByteSize;
import volsh.unit.Rate;

/** How two places are made the same, and which files take part. */
final class SyncOptions {
    private static final int PARALLEL = 8;
    private static final int PARALLEL_MAX = 32;
    private static final long PART_MAX = 128L << 20;

    @Option(names = "--delete", description = "Remove files from the target that the source does not have.")
    private boolean delete;

    @Option(names = "--checksum",
            description = "Compare files of the same size by their SHA-256, which reads both, instead of by their"
                    + " modification time; and compare each copy with its original.")
    private boolean checksum;

    @Option(names = {"-u", "--update"}, description = "Leave files alone that are newer in the target.")
    private boolean newer;

    @Option(names = "--exclude", paramLabel = "PATTERN",
            description = "Leave out files and directories whose name, or path below the source, matches: neither copy"
                    + " nor remove them. May be repeated.")
    private List<String> exclude = new ArrayList<>();

    @Option(names = "--include", paramLabel = "PATTERN",
            description = "Take only files whose name, or path below the source, matches. May be repeated.")
    private List<String> include = new ArrayList<>();

    @Option(names = "--parallel", paramLabel = "N", defaultValue = "" + PARALLEL,
            description = "Transfer this many files or parts at a time (default: ${DEFAULT-VALUE}).")
    private int parallel = PARALLEL;

    @Option(names = "--part", paramLabel = "SIZE", defaultValue = "16MiB",
            description = "Transfer larger files in parts of SIZE (default: ${DEFAULT-VALUE}, 5MiB to 128MiB).")
    private ByteSize part = new ByteSize(CopySettings.PART);

    @Option(names = "--limit", paramLabel = "RATE", description = "Transfer at most RATE, such as 200MB/s.")
    private @Nullable Rate limit;

    boolean deletes() {
        return delete;
    }

    SyncSettings settings() {
        if (parallel < 1 || parallel > PARALLEL_MAX) {
            throw CommandFailure.usage("--parallel must be from 1 to " + PARALLEL_MAX + ", not " + parallel);
        }
        if (part.bytes() < ObjectUpload.PART_BYTES_MIN || part.bytes() > PART_MAX) {
            throw CommandFailure.usage("--part must be from 5MiB to 128MiB, not " + part);
        }
        var copies = new CopySettings(parallel, part.bytes(), Optional.ofNullable(limit), checksum, false);
        return new SyncSettings(copies, delete, newer, taken());
    }

    private Predicate<String> taken() {
        var excluded = exclude.stream().map(pattern -> Glob.of(pattern, false)).toList();
        var included = include.stream().map(pattern -> Glob.of(pattern, false)).toList();
        return path -> !anyAbove(excluded, path)
                && (included.isEmpty() || path.endsWith("/") || matches(included, path));
    }

    /** Whether the path or a directory above it matches. */
    private static boolean anyAbove(List<Glob> patterns, String path) {
        if (patterns.isEmpty()) {
            return false;
        }
        for (int slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1)) {
            if (matches(patterns, path.substring(0, slash))) {
                return true;
            }
        }
        return !path.endsWith("/") && matches(patterns, path);
    }

    private static boolean matches(List<Glob> patterns, String path) {
        String name = path.substring(path.lastIndexOf('/') + 1);
        return patterns.stream().anyMatch(pattern -> pattern.matches(name) || pattern.matches(path));
    }

    /** The options as they were given, to type them again. */
    String words() {
        var words = new StringBuilder();
        words.append(delete ? " --delete" : "").append(checksum ? " --checksum" : "").append(newer ? " --update" : "");
        exclude.forEach(pattern -> words.append(" --exclude ").append(ShellWord.of(pattern)));
        include.forEach(pattern -> words.append(" --include ").append(ShellWord.of(pattern)));
        return words + (parallel == PARALLEL ? "" : " --parallel " + parallel)
                + (part.bytes() == CopySettings.PART ? "" : " --part " + part)
                + (limit == null ? "" : " --limit " + limit);
    }
}
