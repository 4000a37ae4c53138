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
import java.util.Optional;
import java.util.Random;
import volsh.block.StoreUrl;
import volsh.catalog.Access;
import volsh.catalog.Home;
import volsh.catalog.StoreLayout;
import volsh.catalog.VolumeDraft;
import volsh.codec.Compression;
import volsh.disk.LocalTrees;
import volsh.disk.TemporaryNames;
import volsh.fs.Owner;
import volsh.place.LayoutPolicy;
import volsh.transfer.Observer;
import volsh.volume.BlockCare;
import volsh.volume.Volume;
import volsh.volume.Volumes;

/**
 * Measures ways to save a checkpoint: how long a job is stalled, when the checkpoint is durable, and what is at risk
 * until then. The stores are directories with the latency and bandwidth of distant ones. Everything is below a
 * temporary directory.
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
        /** Into a volume mirrored over the near and the distant store; the job waits for both. */
        MIRROR
    }

    /** How much is saved where; a store is given by its latency and bandwidth, as options of its URL. */
    public record Terms(Path directory, long bytes, String near, String distant, int parallel, Observer observer) {}

    /**
     * A measurement.
     *
     * @param stall   how long the job is stalled
     * @param durable when the checkpoint survives the loss of this host: all blocks and the metadata are in the store
     * @param atRisk  bytes that the loss of this host would destroy between the two
     */
    public record Result(Strategy strategy, long bytes, Duration stall, Duration durable, long atRisk) {
        /** How long the checkpoint would be lost with this host while the job is already running again. */
        public Duration exposed() {
            return durable.minus(stall);
        }
    }

    public StrategyBench(Terms terms) {
        this.terms = terms;
    }

    public List<Result> run(List<Strategy> strategies) throws IOException {
        Path place = TemporaryNames.makeDirectory(terms.directory(), ".volsh-checkpoint-bench-");
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

    /** Incompressible bytes. */
    private Path model(Path place) throws IOException {
        Path model = Files.createDirectory(place.resolve("model"));
        var random = new Random(1);
        byte[] piece = new byte[PIECE];
        try (var out = FileChannel.open(model.resolve("weights.bin"), StandardOpenOption.CREATE_NEW,
                StandardOpenOption.WRITE)) {
            for (long left = terms.bytes(); left > 0; left -= PIECE) {
                random.nextBytes(piece);
                out.write(ByteBuffer.wrap(piece, 0, (int) Math.min(PIECE, left)));
            }
        }
        return model;
    }

    private Result measure(Strategy strategy, Path place, Path model) throws IOException {
        Files.createDirectory(place);
        var volumes = new Volumes(Home.of(Map.of("VOLSH_HOME", place.resolve("home").toString()), false),
                InstantSource.system(), Owner.ROOT);
        volumes.stores().add("near", store(place, "near", terms.near()));
        volumes.stores().add("distant", store(place, "distant", terms.distant()));
        var draft = VolumeDraft.named("bench").withCompression(new Compression.None()).shippingMetadata(true);
        volumes.create(switch (strategy) {
            case DIRECT, LOCAL_ASYNC -> draft.withStore("distant");
            case HOT -> draft.withStore("near");
            case MIRROR -> draft.withSpread(StoreLayout.of(List.of("distant", "near"), LayoutPolicy.of("mirror:2")));
        });
        long began = System.nanoTime();
        Optional<Path> copy = strategy == Strategy.LOCAL_ASYNC
                ? Optional.of(new LocalStage(place.resolve("staged"))
                        .copy(model, new LocalStage.Purpose("bench", "bench", 1))) : Optional.empty();
        var staged = since(began);
        save(volumes, copy.orElse(model));
        var durable = since(began);
        LocalTrees.remove(place);
        return copy.isPresent() ? new Result(strategy, terms.bytes(), staged, durable, terms.bytes())
                : new Result(strategy, terms.bytes(), durable, durable, 0);
    }

    private static Duration since(long began) {
        return Duration.ofNanos(System.nanoTime() - began);
    }

    private static StoreUrl store(Path place, String name, String manners) {
        String url = place.resolve(name).toUri().toString().replaceFirst("/$", "");
        return StoreUrl.of(manners.isEmpty() ? url : url + "?" + manners);
    }

    /** Like {@code checkpoint save --until committed}, or {@code --until replicated} with two stores. */
    private void save(Volumes volumes, Path source) throws IOException {
        try (var volume = volumes.open("bench", Access.WRITE, "bench")) {
            var saved = new Checkpoints("bench", volume.vfs(), Owner.ROOT, InstantSource.system(), terms.parallel(),
                    terms.observer())
                    .save(new SaveRequest("bench", 1, source));
            volume.commit();
            if (volume.spot().isPresent()) {
                replicate(volume, saved);
            }
        }
    }

    private static void replicate(Volume volume, Checkpoint saved) throws IOException {
        try (var care = new BlockCare(volume, BlockCare.Watcher.NONE)) {
            var found = care.redundancy(Archiving.files(volume, saved));
            if (!found.isFull()) {
                throw new IOException("%d of %d blocks could not be mirrored"
                        .formatted(found.lacking() + found.single(), found.blocks()));
            }
        }
    }
}
