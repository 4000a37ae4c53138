package volsh.checkpoint;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import volsh.block.StoreUrl;
import volsh.codec.Compression;
import volsh.disk.LocalTrees;
import volsh.fs.Owner;
import volsh.transfer.Observer;
import volsh.volume.Access;
import volsh.volume.Home;
import volsh.volume.VolumeDraft;
import volsh.volume.Volumes;

/**
 * Measures ways to save a checkpoint: how long a job stands still, when the checkpoint is durable, and what is at risk until then. The stores are
 * directories that answer as distant ones would. Everything is below a directory of its own, which is gone afterwards.
 */
public final class StrategyBench {
    private static final int PIECE = 4 << 20;

    private final Terms terms;

    /** A way to save. */
    public enum Strategy {
        /** Into the distant store; the job waits. */
        DIRECT,
        /** Into a store that is near and fast; the job waits. */
        HOT,
        /** To the local disk, and from there in the background into the distant store. */
        LOCAL_ASYNC,
        /** Into the near and the distant store at once; the job waits for both. */
        MIRROR
    }

    /** How much is saved where; a store is its latency and bandwidth, as options of its URL say them. */
    public record Terms(Path directory, long bytes, String near, String distant, int parallel, Observer observer) {}

    /**
     * What was measured.
     *
     * @param stall   how long the job stands still
     * @param durable when the checkpoint survives the loss of this host
     * @param atRisk  bytes that the loss of this host would take between the two
     */
    public record Result(Strategy strategy, long bytes, Duration stall, Duration durable, long atRisk) {}

    public StrategyBench(Terms terms) {
        this.terms = terms;
    }

    public List<Result> run(List<Strategy> strategies) throws IOException {
        Path place = Files.createTempDirectory(terms.directory(), ".volsh-checkpoint-bench-");
        try {
            Path model = model(place);
            var results = new ArrayList<Result>();
            for (var strategy : strategies) {
                results.add(measure(strategy, place.resolve(strategy.name()), model));
            }
            return results;
        } finally {
            LocalTrees.remove(place);
        }
    }

    /** Bytes that no codec shrinks. */
    private Path model(Path place) throws IOException {
        Path model = Files.createDirectory(place.resolve("model"));
        var random = new Random(1);
        byte[] piece = new byte[PIECE];
        try (var out = FileChannel.open(model.resolve("weights.bin"), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            for (long left = terms.bytes(); left > 0; left -= PIECE) {
                random.nextBytes(piece);
                out.write(ByteBuffer.wrap(piece, 0, (int) Math.min(PIECE, left)));
            }
        }
        return model;
    }

    private Result measure(Strategy strategy, Path place, Path model) throws IOException {
        Files.createDirectory(place);
        var volumes = new Volumes(Home.of(Map.of("VOLSH_HOME", place.resolve("home").toString()), false), InstantSource.system(), Owner.ROOT);
        return switch (strategy) {
            case DIRECT -> waiting(strategy, target(volumes, place, "distant", terms.distant()), model);
            case HOT -> waiting(strategy, target(volumes, place, "near", terms.near()), model);
            case LOCAL_ASYNC -> {
                var distant = target(volumes, place, "distant", terms.distant());
                long began = System.nanoTime();
                Path copy = new LocalStage(place.resolve("staged")).copy(model);
                var stall = since(began);
                distant.save(copy);
                yield new Result(strategy, terms.bytes(), stall, since(began), terms.bytes());
            }
            case MIRROR -> {
                var near = target(volumes, place, "near", terms.near());
                var distant = target(volumes, place, "distant", terms.distant());
                long began = System.nanoTime();
                var other = CompletableFuture.runAsync(() -> near.saveUnchecked(model));
                distant.save(model);
                try {
                    other.join();
                } catch (CompletionException failed) {
                    throw new IOException(failed.getCause());
                }
                yield new Result(strategy, terms.bytes(), since(began), since(began), 0);
            }
        };
    }

    private Result waiting(Strategy strategy, Target target, Path model) throws IOException {
        long began = System.nanoTime();
        target.save(model);
        return new Result(strategy, terms.bytes(), since(began), since(began), 0);
    }

    private static Duration since(long began) {
        return Duration.ofNanos(System.nanoTime() - began);
    }

    private Target target(Volumes volumes, Path place, String name, String manners) throws IOException {
        String url = place.resolve(name).toUri().toString().replaceFirst("/$", "");
        volumes.addStore(name, StoreUrl.of(manners.isEmpty() ? url : url + "?" + manners));
        volumes.create(VolumeDraft.named(name).withStore(name).withCompression(new Compression.None()));
        return new Target(volumes, name);
    }

    /** A volume that is opened for one save, as a command does. */
    private final class Target {
        private final Volumes volumes;
        private final String name;

        Target(Volumes volumes, String name) {
            this.volumes = volumes;
            this.name = name;
        }

        void save(Path source) throws IOException {
            try (var volume = volumes.open(name, Access.WRITE, "bench")) {
                new Checkpoints(name, volume.vfs(), Owner.ROOT, InstantSource.system(), terms.parallel(), terms.observer()).save(new SaveRequest("bench", 1, source));
            }
        }

        void saveUnchecked(Path source) {
            try {
                save(source);
            } catch (IOException failed) {
                throw new CompletionException(failed);
            }
        }
    }
}
