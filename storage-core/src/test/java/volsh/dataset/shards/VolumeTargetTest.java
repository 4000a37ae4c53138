package volsh.dataset.shards;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.catalog.Access;
import volsh.catalog.VolumeDraft;
import volsh.dataset.LocalDirectory;
import volsh.dataset.VolumeDirectory;
import volsh.fs.Owner;
import volsh.meta.ChildJvm;
import volsh.quota.QuotaRule;
import volsh.shard.FormatOptions;
import volsh.unit.ByteSize;
import volsh.upkeep.Watcher;
import volsh.vfs.PackingRules;
import volsh.vfs.Vfs;
import volsh.volume.Machine;
import volsh.volume.Volume;

/** A volume as the target of a pack: what holds on a disk holds there. And what is small in it survives compaction. */
@Tag("crash")
@Tag("data")
@Tag("volume")
final class VolumeTargetTest {
    private static final int KILLS = Boolean.getBoolean("volsh.long") ? 20 : 2;
    private static final int CLASSES = 10;
    private static final int EACH = 30;

    @TempDir
    Path directory;
    private Machine machine;
    private Path images;

    @BeforeEach
    void pack() throws IOException {
        machine = new Machine(directory.resolve("machine"));
        images = Corpus.imageFolder(directory.resolve("images"), CLASSES, EACH).root;
        new Corpus(images).samples(20).pack(directory.resolve("whole"));
    }

    private static VolumeDirectory shards(Volume volume) {
        return new VolumeDirectory(volume.vfs(), "v", "/shards", Owner.ROOT);
    }

    private Volume open() throws IOException {
        return machine.volumes().open("v", Access.WRITE, "test");
    }

    /** Prints a line whenever there is something to be killed in. */
    private static final class Telling implements PackObserver {
        @Override
        public void packed(long bytes) {
            System.out.println("packed");
        }

        @Override
        public void check() {}
    }

    /** Packs into the volume. */
    public static final class PackProgram {
        public static void main(String[] words) throws IOException {
            try (var volume = new Machine(Path.of(words[0])).volumes().open("v", Access.WRITE, "test")) {
                new Corpus(Path.of(words[1])).samples(20).packing(shards(volume)).run(new Telling());
            }
        }
    }

    /** Stores the small files of the volume together. */
    public static final class CompactProgram {
        public static void main(String[] words) throws IOException {
            try (var volume = new Machine(Path.of(words[0])).volumes().open("v", Access.WRITE, "test")) {
                System.out.println("begins");
                volume.pack(Vfs.ROOT, PackingRules.NOW, bytes -> System.out.println("stored"), Watcher.NONE);
                volume.compact(2, bytes -> System.out.println("merged"), Watcher.NONE);
            }
        }
    }

    private void killAfter(int lines, Class<?> program, Object... words) throws IOException {
        var temporary = Files.createDirectories(directory.resolve("tmp"));
        try (var child = ChildJvm.start(temporary, program, words)) {
            for (int i = 0; i < lines && child.line() != null; i++) {
                // until the moment comes
            }
            child.kill();
        }
    }

    private void requireWholeShards(Volume volume, String why) throws IOException {
        for (var verdict : new ShardCheck(FormatOptions.DEFAULT, Corpus.NOBODY)
                .checkAll(ShardPattern.all(shards(volume)), 2)) {
            assertThat(verdict.problems()).as(why).isEmpty();
        }
    }

    private void requireSame(Volume volume) throws IOException {
        var whole = new LocalDirectory(directory.resolve("whole"));
        var names = whole.names("");
        assertThat(shards(volume).names("")).containsExactlyElementsOf(names);
        for (var name : names) {
            assertThat(shards(volume).content(name, 1 << 20)).as(name).isEqualTo(whole.content(name, 1 << 20));
        }
    }

    private void requireClean() throws IOException {
        assertThat(machine.volumes().upkeep().check("v", true, Optional.empty(), Watcher.NONE).isClean()).isTrue();
    }

    @Test
    void aKilledPackGoesOn() throws Exception {
        machine.volumes().create(VolumeDraft.named("v").withBlockSize(ByteSize.of("64KiB")));
        long seed = System.nanoTime();
        var random = new Random(seed);
        for (int kill = 0; kill < KILLS; kill++) {
            killAfter(1 + random.nextInt(CLASSES * EACH / KILLS), PackProgram.class, machine.directory(), images);
            try (var volume = open()) {
                requireWholeShards(volume, "seed " + seed);
            }
        }
        try (var volume = open()) {
            new Corpus(images).samples(20).packing(shards(volume)).run(Corpus.NOBODY);
            requireSame(volume);
        }
        requireClean();
    }

    /** What is asked for at once is then in several blocks, which are read by several threads. */
    @Test
    void aShardOfManyBlocksIsVerifiedAndUnpacked() throws Exception {
        machine.volumes().create(VolumeDraft.named("v").withBlockSize(ByteSize.of("64KiB")));
        var many = Corpus.imageFolder(directory.resolve("many"), 10, 120).samples(10_000);
        try (var volume = open()) {
            many.packing(shards(volume)).run(Corpus.NOBODY);
            assertThat(shards(volume).size("shard-000000.tar").orElseThrow()).isGreaterThan(1 << 20);
            requireWholeShards(volume, "of many blocks");
            new Unpacking(new LocalDirectory(directory.resolve("back")), Set.of("JPEG"), false, FormatOptions.DEFAULT,
                    Corpus.NOBODY).run(ShardPattern.all(shards(volume)), 2);
            assertThat(Corpus.tree(directory.resolve("back"))).isEqualTo(Corpus.tree(many.root));
        }
    }

    @Test
    void aFullVolumeHasWholeShardsOnly() throws Exception {
        machine.volumes().create(VolumeDraft.named("v").withBlockSize(ByteSize.of("64KiB"))
                .withQuota(ByteSize.of("200KiB")));
        try (var volume = open()) {
            assertThatThrownBy(() -> new Corpus(images).samples(20).packing(shards(volume)).run(Corpus.NOBODY))
                    .isInstanceOf(IOException.class).hasMessageContaining("volume 'v' may hold 200KiB");
            requireWholeShards(volume, "after the failure");
            assertThat(ShardPattern.all(shards(volume))).isNotEmpty();
            assertThat(shards(volume).size("dataset.json")).isEmpty();
        }
        try (var volume = open()) {
            volume.quotas().set(QuotaRule.NONE, QuotaRule.NONE);
        }
        try (var volume = open()) {
            assertThat(new Corpus(images).samples(20).packing(shards(volume)).run(Corpus.NOBODY).resumed())
                    .isPositive();
            requireSame(volume);
        }
        requireClean();
    }

    @Test
    void aKilledCompactionLosesNothing() throws Exception {
        machine.volumes().create(VolumeDraft.named("v").withBlockSize(ByteSize.of("64KiB"))
                .withInline(new ByteSize(0)));
        try (var volume = open()) {
            new Unpacking(shards(volume), Set.of("JPEG"), false, FormatOptions.DEFAULT, Corpus.NOBODY)
                    .run(Corpus.shards(directory.resolve("whole")), 2);
        }
        var random = new Random(7);
        for (int kill = 0; kill < KILLS; kill++) {
            killAfter(1 + random.nextInt(1 + 40 / KILLS), CompactProgram.class, machine.directory());
            requireClean();
        }
        CompactProgram.main(new String[] {machine.directory().toString()});
        requireClean();
        try (var volume = open()) {
            assertThat(volume.pack(Vfs.ROOT, PackingRules.NOW, bytes -> {}, Watcher.NONE).packed()).isZero();
            for (var name : List.of("class00/im000.JPEG", "class09/im029.JPEG", "class04/im011.JPEG")) {
                assertThat(shards(volume).content(name, 1 << 20))
                        .isEqualTo(Files.readAllBytes(images.resolve(name)));
            }
        }
    }
}
