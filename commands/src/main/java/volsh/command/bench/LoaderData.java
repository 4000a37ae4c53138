package volsh.command.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Locale;
import java.util.Optional;
import volsh.bench.loader.Dataset;
import volsh.bench.loader.Format;
import volsh.bench.loader.Samples;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.disk.LocalTrees;
import volsh.disk.TemporaryNames;
import volsh.fs.ShellWord;
import volsh.unit.ByteSize;

/**
 * The samples of a loader benchmark: existing ones, or ones created for it.
 *
 * @param wanted the dataset to create; empty if none may be created
 * @param own    whether to use only samples created for this benchmark
 * @param keep   whether to keep created samples
 */
record LoaderData(Path directory, Format format, Optional<Dataset> wanted, boolean own, boolean keep, long each,
        long seed) {
    /** Samples, and whether they are removed afterwards. */
    record Opened(Samples samples, Optional<Path> temporary) implements AutoCloseable {
        @Override
        public void close() throws IOException {
            if (temporary.isPresent()) {
                LocalTrees.remove(temporary.get());
            }
        }
    }

    private Optional<Path> kept() {
        return wanted.map(dataset -> directory.resolve("volsh-samples-%s-%dx%d-%d-%d".formatted(
                format.name().toLowerCase(Locale.ROOT), dataset.samples(), dataset.sample(), dataset.perFile(), seed)));
    }

    /** The dataset to create; empty if samples exist. */
    Optional<Dataset> missing() throws IOException {
        if (kept().filter(Files::isDirectory).isPresent() || !own && format.isIn(directory)) {
            return Optional.empty();
        }
        if (wanted.isEmpty()) {
            throw CommandFailure.of(ExitCode.NOT_FOUND, "BEN-0005",
                    "%s has no samples (%s)".formatted(directory, format.description()))
                    .hint("volsh bench run loader --on %s --format %s --samples 1000"
                            .formatted(ShellWord.of(directory), format.name().toLowerCase(Locale.ROOT)));
        }
        return wanted;
    }

    Opened open(Session session) throws IOException {
        var made = missing();
        if (made.isPresent()) {
            return make(session, made.get());
        }
        return new Opened(found(kept().filter(Files::isDirectory).orElse(directory), session), Optional.empty());
    }

    private Samples found(Path place, Session session) throws IOException {
        return format.find(place, each, seed, session.cancellation()::requested);
    }

    /** Fails early, because filling the disk would also break other programs. */
    private void requireRoom(Dataset dataset) throws IOException {
        long bytes = dataset.bytes(seed);
        long free = Files.getFileStore(directory).getUsableSpace();
        if (bytes > free) {
            throw CommandFailure.of(ExitCode.NO_SPACE, "BEN-0007",
                    "not enough space: %,d samples of %s take %s, and %s has %s free".formatted(dataset.samples(),
                    new ByteSize(dataset.sample()), new ByteSize(bytes), directory, new ByteSize(free)))
                    .hint("create fewer samples with --batches or --gpus, or smaller ones with --sample");
        }
    }

    private Opened make(Session session, Dataset dataset) throws IOException {
        requireRoom(dataset);
        var part = TemporaryNames.fresh(directory, ".volsh-samples-");
        session.detail("creating %,d samples as %s".formatted(dataset.samples(), format.description()));
        try (var progress = session.progress("samples", dataset.bytes(seed))) {
            dataset.make(format, part, seed, session.cancellation()::requested, progress::add);
        }
        try {
            session.cancellation().check();
            if (keep) {
                var target = kept().orElseThrow();
                Files.move(part, target, StandardCopyOption.ATOMIC_MOVE);
                return new Opened(found(target, session), Optional.empty());
            }
            return new Opened(found(part, session), Optional.of(part));
        } catch (IOException | RuntimeException failed) {
            LocalTrees.remove(part);
            throw failed;
        }
    }
}
