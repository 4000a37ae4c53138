package volsh.command.bench;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.LongConsumer;
import picocli.CommandLine.Option;
import volsh.bench.Terms;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.unit.ByteSize;

/** The options that benchmarks with a temporary volume share. */
final class TrialTerms {
    @Option(names = "--on", paramLabel = "DIRECTORY", required = true,
            description = "Create the volume and its stores in this directory; they are removed afterwards.")
    private Path directory;

    @Option(names = "--size", paramLabel = "SIZE", defaultValue = "256MiB",
            description = "Set the data size (default: ${DEFAULT-VALUE}).")
    private ByteSize size;

    @Option(names = {"-t", "--threads"}, paramLabel = "N", defaultValue = "1",
            description = "Run this many threads (default: ${DEFAULT-VALUE}).")
    private int threads;

    @Option(names = "--store", paramLabel = "OPTIONS", defaultValue = "",
            description = "Simulate stores such as 'latency=5ms&bandwidth=100MB/s' (default: the plain directory).")
    private String manners;

    @Option(names = "--seed", paramLabel = "N", defaultValue = "1",
            description = "Seed data and order (default: ${DEFAULT-VALUE}).")
    private long seed;

    Path directory() {
        return directory;
    }

    ByteSize size() {
        return size;
    }

    String manners() {
        return manners;
    }

    Terms of(Session session, ByteSize io, LongConsumer progress) {
        if (!Files.isDirectory(directory)) {
            throw CommandFailure.of(ExitCode.NOT_FOUND, "BEN-0001", "%s is not a directory".formatted(directory))
                    .hint("volsh mounts list");
        }
        try {
            volsh.block.StoreUrl.of("mem://x" + (manners.isEmpty() ? "" : "?" + manners));
        } catch (IllegalArgumentException wrong) {
            throw CommandFailure.usage("--store: " + wrong.getMessage());
        }
        return new Terms(directory, size, io, threads, Optional.empty(), false, seed, session.cancellation()::requested,
                progress);
    }
}
