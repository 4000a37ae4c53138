package volsh.command.file;

import java.util.List;
import picocli.CommandLine.Option;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.fs.ShellWord;

/** The options of every transfer. */
final class TransferOptions {
    private static final int PARALLEL = 4;
    private static final int PARALLEL_MAX = 32;

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

    boolean recursive() {
        return recursive;
    }

    boolean updates() {
        return update;
    }

    /** The command that continues a transfer; {@code words} are its operands. */
    String again(String verb, List<String> words) {
        return "volsh %s%s --update%s%s %s".formatted(verb, recursive ? " -r" : "", owner ? " -p" : "",
                parallel == PARALLEL ? "" : " --parallel " + parallel, ShellWord.of(words));
    }

    boolean keepsOwner() {
        return owner;
    }

    int parallel() {
        if (parallel < 1 || parallel > PARALLEL_MAX) {
            throw CommandFailure.usage("--parallel must be from 1 to " + PARALLEL_MAX + ", not " + parallel);
        }
        return parallel;
    }

    /** @throws CommandFailure unless directories may be copied, naming the option */
    void requireRecursive(String directory) {
        if (!recursive) {
            throw CommandFailure.of(ExitCode.FAILED, "FS-0021", directory + ": is a directory")
                    .hint("add -r to copy the directory with its contents");
        }
    }
}
