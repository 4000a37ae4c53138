package volsh.view;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static volsh.vfs.PosixContract.noise;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import volsh.block.memory.MemoryBlockStore;
import volsh.cache.MemoryCache;
import volsh.cache.disk.DiskTier;
import volsh.chunk.ChunkSettings;
import volsh.dataset.BadSamples;
import volsh.dataset.shards.PackObserver;
import volsh.dataset.shards.PackPlan;
import volsh.dataset.shards.PackSettings;
import volsh.dataset.SampleTable;
import volsh.dataset.SourceLayout;
import volsh.dataset.SourceScan;
import volsh.dataset.VolumeDirectory;
import volsh.engine.MetaEngine;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.meta.EngineKind;
import volsh.meta.MetadataAudit;
import volsh.meta.OnEveryEngine;
import volsh.shard.FormatOptions;
import volsh.shard.ShardFormat;
import volsh.shard.format.Formats;
import volsh.vfs.ManualClock;
import volsh.vfs.PackingListener;
import volsh.vfs.PackingRules;
import volsh.vfs.Paths;
import volsh.vfs.TestVolume;
import volsh.vfs.Vfs;

/** The shards of a view are what packing would write, whatever becomes of the files, and almost nothing is stored. */
@OnEveryEngine
final class ShardViewTest {
    private static final int BLOCK = 64 << 10;
    private static final int CLASSES = 3;
    private static final int FILES = 30;

    private final EngineKind kind;
    private final MetaEngine engine;
    private final MemoryBlockStore store = new MemoryBlockStore();
    private final ManualClock clock = new ManualClock();
    private final ArrayDeque<Runnable> background = new ArrayDeque<>();
    private final TestVolume volume;
    private final Vfs vfs;
    private final BadSamples bad = new BadSamples();

    ShardViewTest(EngineKind kind) throws IOException {
        this.kind = kind;
        engine = kind.open();
        volume = TestVolume.open(engine, store, new ChunkSettings(BLOCK, 300, 8L << 20), Runnable::run, clock,
                new MemoryCache(0, 1), DiskTier.NONE, new TestVolume.Background(store, background::add));
        vfs = volume.vfs();
    }

    @AfterEach
    void rowsAgree() throws IOException {
        assertThat(MetadataAudit.of(engine).with(store).problems()).isEmpty();
    }

    private void write(long directory, String name, byte[] bytes) throws IOException {
        try (var file = vfs.create(directory, Name.of(name), 0644, Owner.ROOT)) {
            file.write(0, ByteBuffer.wrap(bytes));
        }
    }

    /** Small files, some of them kept in the metadata, and one of several blocks; names of all kinds. */
    private void dataset() throws IOException {
        long root = vfs.makeDirectory(Vfs.ROOT, Name.of("data"), 0755, Owner.ROOT).ino();
        for (int i = 0; i < CLASSES; i++) {
            long directory = vfs.makeDirectory(root, Name.of("n%03d".formatted(i)), 0755, Owner.ROOT).ino();
            for (int k = 0; k < FILES; k++) {
                write(directory, "%04d.jpg".formatted(k), noise(k % 7 == 3 ? 200 : 800 + k, 100 * i + k));
            }
            write(directory, "ü.jpg", noise(1000, i));
            write(directory, "long-".repeat(30) + ".jpg", noise(512, i));
        }
        write(new Paths(vfs).resolve("/data/n001").ino(), "zlarge.jpg", noise(3 * BLOCK + 5, 5));
    }

    private VolumeDirectory directory(String path) {
        return new VolumeDirectory(vfs, "v", path, Owner.ROOT);
    }

    private SampleTable table() throws IOException {
        var files = new SourceScan(Optional.empty(), Optional.empty(), () -> false).scan(directory("/data"), bad);
        return new SampleTable(files, directory("/data"), SourceLayout.of(files), bad);
    }

    private static PackSettings settings() {
        return settings(40);
    }

    private static PackSettings settings(long samples) {
        return new PackSettings(ShardFormat.WEBDATASET, FormatOptions.DEFAULT, OptionalLong.of(samples),
                OptionalLong.empty(), Map.of("train", 1.0), false, 0, 1, 1, false, false);
    }

    private ShardView make(SampleTable table) throws IOException {
        return make(table, settings());
    }

    private ShardView make(SampleTable table, PackSettings settings) throws IOException {
        return new ViewMaking(vfs, directory("/data"), table, PackPlan.of(table, settings), new PackObserver() {
            @Override
            public void packed(long bytes) {}

            @Override
            public void check() {}
        }, bad).run(vfs, directory("/.views/train"), "/.views/train", Owner.ROOT, "v:/data", clock.instant());
    }

    private byte[] packed(SampleTable table, int shard) throws IOException {
        var bytes = new ByteArrayOutputStream();
        var writer = Formats.writer(ShardFormat.WEBDATASET, FormatOptions.DEFAULT, bytes);
        var plan = PackPlan.of(table, settings());
        var planned = plan.shards().get(shard);
        for (int i = planned.from(); i < planned.to(); i++) {
            writer.add(table.sample(plan.sequence()[i]));
        }
        writer.finish();
        return bytes.toByteArray();
    }

    private byte[] read(String path) throws IOException {
        try (var file = vfs.open(new Paths(vfs).resolve(path).ino())) {
            byte[] bytes = new byte[Math.toIntExact(file.attributes().size())];
            assertThat(file.read(0, ByteBuffer.wrap(bytes))).isEqualTo(bytes.length);
            return bytes;
        }
    }

    private long stored() throws IOException {
        try (var listed = store.list("blocks/")) {
            return listed.mapToLong(object -> object.size()).sum();
        }
    }

    @Test
    void shardsAreWhatPackingWritesAndStayWhenTheFilesGo() throws IOException {
        dataset();
        vfs.packing().pack(Vfs.ROOT, true, PackingRules.NOW, PackingListener.NONE);
        clock.advance(Duration.ofSeconds(5));
        volume.reclaim();
        long before = stored();
        var table = table();
        var view = make(table);
        assertThat(view.shards()).extracting(ShardView.Shard::name).containsExactly("train-000000.tar",
                "train-000001.tar", "train-000002.tar");
        assertThat(view.samples()).isEqualTo(table.count());
        assertThat(ShardView.in(directory("/.views/train"))).contains(view);
        byte[][] right = {packed(table, 0), packed(table, 1), packed(table, 2)};
        for (int i = 0; i < right.length; i++) {
            assertThat(view.shards().get(i).bytes()).isEqualTo(right[i].length);
            assertThat(read("/.views/train/train-00000%d.tar".formatted(i))).isEqualTo(right[i]);
        }
        assertThat(stored() - before).as("headers and tiny files").isEqualTo(view.stored() + sidecars());

        // ranged reads anywhere
        var random = new Random(3);
        try (var file = vfs.open(new Paths(vfs).resolve("/.views/train/train-000001.tar").ino())) {
            for (int i = 0; i < 50; i++) {
                int at = random.nextInt(right[1].length - 1);
                byte[] some = new byte[1 + random.nextInt(Math.min(5000, right[1].length - at))];
                assertThat(file.read(at, ByteBuffer.wrap(some))).isEqualTo(some.length);
                assertThat(some).isEqualTo(Arrays.copyOfRange(right[1], at, at + some.length));
            }
        }
        assertThat(background).as("merging would store it a second time").isEmpty();
        assertThat(vfs.packing().pack(new Paths(vfs).resolve("/data").ino(), true, PackingRules.NOW,
                PackingListener.NONE).made()).as("packing would, too").isZero();

        vfs.unlink(new Paths(vfs).resolve("/data/n000").ino(), Name.of("0001.jpg"));
        vfs.truncate(new Paths(vfs).resolve("/data/n000/0002.jpg").ino(), 3);
        clock.advance(Duration.ofSeconds(5));
        volume.reclaim();
        assertThat(read("/.views/train/train-000000.tar")).isEqualTo(right[0]);

        assertThat(new ViewDirectory(directory("/.views/train")).strangers()).isEmpty();
        new ViewDirectory(directory("/.views/train")).remove();
        for (int i = 0; i < 2; i++) {   // the files, then the blocks that went with them
            clock.advance(Duration.ofSeconds(5));
            volume.reclaim();
        }
        assertThat(stored()).isLessThanOrEqualTo(before);
        assertThat(read("/data/n001/zlarge.jpg")).isEqualTo(noise(3 * BLOCK + 5, 5));
    }

    /** More files than one look at a directory, one window of packing and one transaction of a view take. */
    @Test
    void aShardOfManySamples() throws IOException {
        int count = kind == EngineKind.MEMORY ? 4300 : 120;
        long root = vfs.makeDirectory(Vfs.ROOT, Name.of("data"), 0755, Owner.ROOT).ino();
        for (int i = 0; i < count; i++) {
            write(root, "%05d.bin".formatted(i), noise(320 + i % 50, i));
        }
        var report = vfs.packing().pack(Vfs.ROOT, true, PackingRules.NOW, PackingListener.NONE);
        assertThat(report.packed()).isEqualTo(count);
        var table = table();
        var view = make(table, settings(10_000));
        assertThat(view.shards()).hasSize(1);
        assertThat(view.samples()).isEqualTo(count);
        var bytes = new ByteArrayOutputStream();
        var writer = Formats.writer(ShardFormat.WEBDATASET, FormatOptions.DEFAULT, bytes);
        var plan = PackPlan.of(table, settings(10_000));
        for (int sample : plan.sequence()) {
            writer.add(table.sample(sample));
        }
        writer.finish();
        assertThat(read("/.views/train/" + view.shards().getFirst().name())).isEqualTo(bytes.toByteArray());
    }

    private long sidecars() throws IOException {
        long bytes = 0;
        for (var entry : vfs.list(new Paths(vfs).resolve("/.views/train").ino(), null, 100)) {
            if (!entry.name().toString().endsWith(".tar")) {
                for (var block : vfs.content(entry.ino(), 0, Long.MAX_VALUE - 1).blocks().values()) {
                    bytes += block.storedSize();
                }
            }
        }
        return bytes;
    }

    @Test
    void aFileThatChangesMeanwhileFailsAndLeavesNoShard() throws IOException {
        dataset();
        var table = table();
        vfs.truncate(new Paths(vfs).resolve("/data/n000/0005.jpg").ino(), 3);
        assertThatThrownBy(() -> make(table)).hasMessageContaining("v:/data/n000/0005.jpg: changed meanwhile");
        assertThat(ShardView.in(directory("/.views/train"))).isEmpty();
        assertThat(vfs.list(new Paths(vfs).resolve("/.views/train").ino(), null, 10)).isEmpty();
        make(table());
        assertThat(ShardView.in(directory("/.views/train"))).isPresent();
    }
}
