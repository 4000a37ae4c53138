package volsh.command.shard;

import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.dataset.SourceScan;
import volsh.shard.ShardFormat;

/** How the samples of a source are told apart. */
final class SourceOptions {
    @Option(names = "--key", paramLabel = "REGEX",
            description = "Take the key of a sample from the path of its files: the groups of this regular expression,"
                    + " or its match (default: the path up to the first dot of the name).")
    private @Nullable String key;

    @Option(names = "--class", paramLabel = "REGEX",
            description = "Take the class of a sample from the path in the same way (default: the first directory,"
                    + " where the files are in class directories).")
    private @Nullable String label;

    @Option(names = "--no-classes", description = "Add no class to the samples (default for tokens, mmap and --raw).")
    private boolean unlabelled;

    @Option(names = "--root", paramLabel = "DIRECTORY",
            description = "Take paths of a list or manifest relative to this directory (default: that of the manifest;"
                    + " for a list, the current directory).")
    private @Nullable String root;

    SourceScan scan(Session session) {
        return new SourceScan(pattern("--key", key), pattern("--class", label), () -> {
            session.cancellation().check();
            return false;
        });
    }

    private static Optional<Pattern> pattern(String option, @Nullable String text) {
        try {
            return Optional.ofNullable(text).map(Pattern::compile);
        } catch (PatternSyntaxException wrong) {
            throw CommandFailure.usage("%s: '%s' is not a regular expression: %s".formatted(option, text,
                    wrong.getDescription()));
        }
    }

    boolean unlabelled() {
        return unlabelled;
    }

    /** Samples of this format have one field: there is no room for a class that the directories give. */
    void forFormat(ShardFormat format, boolean raw) {
        boolean single = format == ShardFormat.TOKENS || format == ShardFormat.MMAP
                || format == ShardFormat.TFRECORD && raw;
        if (single && label != null) {
            throw CommandFailure.usage("--class needs a format whose samples have several fields; %s has one"
                    .formatted(format.name().toLowerCase(Locale.ROOT) + (raw ? " --raw" : "")));
        }
        unlabelled |= single;
    }

    Optional<String> root() {
        return Optional.ofNullable(root);
    }

    boolean hasPattern() {
        return key != null || label != null;
    }
}
