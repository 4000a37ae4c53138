package volsh.command.file;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.fs.ShellWord;
import volsh.object.ObjectUpload;
import volsh.tree.CopySettings;
import volsh.unit.ByteSize;
import volsh.unit.Rate;

/** The options of every transfer. */
public final class TransferOptions {
    private static final int PARALLEL = 4;
    private static final int PARALLEL_MAX = 32;
    private static final long PART_MAX = 128L << 20;

    @Option(names = {"-r", "--recursive"}, description = "Copy directories with their contents.")
    private boolean recursive;

    @Option(names = {"-p", "--preserve-owner"},
            description = "Keep the owner and group of the original, instead of yours. Needs root for local files.")
    private boolean owner;

    @Option(names = {"-u", "--update"},
            description = "Skip files whose copy has the same size and modification time: continues a copy that was"
                    + " interrupted, and copies only what changed since.")
    private boolean update;

    @Option(names = "--parallel", paramLabel = "N", defaultValue = "" + PARALLEL,
            description = "Transfer this many files at a time (default: ${DEFAULT-VALUE}).")
    private int parallel;

    @Option(names = "--part", paramLabel = "SIZE", defaultValue = "16MiB",
            description = "Transfer files to and from buckets that are larger than SIZE in parts of it, --parallel of"
                    + " them at a time (default: ${DEFAULT-VALUE}, 5MiB to 128MiB).")
    private ByteSize part = new ByteSize(CopySettings.PART);

    @Option(names = "--limit", paramLabel = "RATE",
            description = "Transfer at most RATE to or from buckets, such as 200MB/s.")
    private @Nullable Rate limit;

    @Option(names = "--checksum",
            description = "Compare the SHA-256 of each original and copy; a bucket keeps it with the object.")
    private boolean checksum;

    /** Those of a move. */
    static TransferOptions ofMoves() {
        var options = new TransferOptions();
        options.recursive = true;
        options.parallel = PARALLEL;
        return options;
    }

    /** How trees are copied. */
    public CopySettings settings() {
        if (part.bytes() < ObjectUpload.PART_BYTES_MIN || part.bytes() > PART_MAX) {
            throw CommandFailure.usage("--part must be from 5MiB to 128MiB, not " + part);
        }
        return new CopySettings(parallel(), part.bytes(), Optional.ofNullable(limit), checksum, update);
    }

    /** Refuses what copies without a bucket do not have. */
    void requireNoneOfBuckets() {
        if (limit != null || checksum) {
            throw CommandFailure.usage((checksum ? "--checksum" : "--limit") + " is for copies to and from buckets");
        }
    }

    public boolean recursive() {
        return recursive;
    }

    boolean updates() {
        return update;
    }

    /** The command that continues a transfer; {@code words} are its operands. */
    public String again(String verb, List<String> words) {
        return "volsh %s%s --update%s%s%s%s%s %s".formatted(verb, recursive ? " -r" : "", owner ? " -p" : "",
                parallel == PARALLEL ? "" : " --parallel " + parallel, checksum ? " --checksum" : "",
                part.bytes() == CopySettings.PART ? "" : " --part " + part, limit == null ? "" : " --limit " + limit,
                ShellWord.of(words));
    }

    boolean keepsOwner() {
        return owner;
    }

    public int parallel() {
        if (parallel < 1 || parallel > PARALLEL_MAX) {
            throw CommandFailure.usage("--parallel must be from 1 to " + PARALLEL_MAX + ", not " + parallel);
        }
        return parallel;
    }

    /** @throws CommandFailure unless directories may be copied, naming the option */
    public void requireRecursive(String directory) {
        if (!recursive) {
            throw CommandFailure.of(ExitCode.FAILED, "FS-0021", directory + ": is a directory")
                    .hint("add -r to copy the directory with its contents");
        }
    }
}
