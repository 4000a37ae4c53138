package volsh.vfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static volsh.vfs.PosixContract.noise;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import volsh.block.memory.MemoryBlockStore;
import volsh.chunk.ChunkSettings;
import volsh.engine.MetaEngine;
import volsh.engine.Race;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.meta.EngineKind;
import volsh.meta.Intrusion;
import volsh.meta.MetadataAudit;
import volsh.meta.OnEveryEngine;
import volsh.vfs.Pieces.Counts;
import volsh.vfs.Pieces.Cut;

/** Files made of pieces share what is there, and never a block that is dead; the counts of references stay right. */
@Timeout(value = 400, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@OnEveryEngine
final class PiecesTest {
    private static final int BLOCK = 1 << 16;

    private final Intrusion intrusion = new Intrusion();
    private final EngineKind kind;
    private final MetaEngine engine;
    private final ManualClock clock = new ManualClock();
    private final TestVolume volume;
    private final Vfs vfs;

    PiecesTest(EngineKind kind) throws IOException {
        this.kind = kind;
        engine = kind.open(intrusion);
        volume = TestVolume.open(engine, new MemoryBlockStore(), new ChunkSettings(BLOCK, 4096, 1 << 20), Runnable::run,
                clock);
        vfs = volume.vfs();
    }

    @AfterEach
    void nothingIsWrong() throws IOException {
        assertThat(volume.audit()).isEmpty();
        volume.close();
    }

    private static List<Cut> cuts(long size, int length) {
        var cuts = new ArrayList<Cut>();
        for (long at = 0; at < size; at += length) {
            cuts.add(new Cut(at, (int) Math.min(length, size - at)));
        }
        return cuts;
    }

    private Counts save(String name, byte[] bytes, List<Cut> cuts) throws IOException {
        try (var file = vfs.createUnnamed(Vfs.ROOT, 0644, Owner.ROOT)) {
            var passed = ByteBuffer.allocate(bytes.length);
            var counts = new Pieces(vfs).fill(file, cuts,
                    (offset, target) -> target.put(bytes, (int) offset, target.remaining()), passed::put);
            assertThat(passed.array()).as("all bytes, once and in order").isEqualTo(bytes);
            vfs.place(file, Vfs.ROOT, Name.of(name));
            return counts;
        }
    }

    private byte[] load(String name) throws IOException {
        try (var file = vfs.open(vfs.lookup(Vfs.ROOT, Name.of(name)).ino())) {
            byte[] bytes = new byte[Math.toIntExact(file.attributes().size())];
            assertThat(file.read(0, ByteBuffer.wrap(bytes))).isEqualTo(bytes.length);
            return bytes;
        }
    }

    private void reclaim() throws IOException {
        for (int round = 0; round < 2; round++) {     // the files, then the blocks they let go of
            clock.advance(Duration.ofSeconds(3));
            volume.reclaim();
        }
    }

    @Test
    void whatIsThereIsShared() throws IOException {
        byte[] bytes = noise(5 * BLOCK + 1000, 1);
        assertThat(save("a", bytes, cuts(bytes.length, BLOCK)).fresh()).isEqualTo(bytes.length);
        byte[] changed = bytes.clone();
        changed[2 * BLOCK + 7] ^= 1;
        var counts = save("b", changed, cuts(bytes.length, BLOCK));
        // the short end is not looked for
        assertThat(counts).isEqualTo(new Counts(BLOCK + 1000, 4 * BLOCK, 0, counts.stored()));
        assertThat(load("a")).isEqualTo(bytes);
        assertThat(load("b")).isEqualTo(changed);
        assertThat(volume.blocks()).isEqualTo(8);
        vfs.unlink(Vfs.ROOT, Name.of("a"));
        reclaim();
        assertThat(volume.blocks()).as("b needs four of a's").isEqualTo(6);
        assertThat(load("b")).isEqualTo(changed);
        assertThat(save("c", bytes, cuts(bytes.length, BLOCK)).shared()).isEqualTo(4 * BLOCK);
        vfs.unlink(Vfs.ROOT, Name.of("b"));
        vfs.unlink(Vfs.ROOT, Name.of("c"));
        reclaim();
        assertThat(volume.blocks()).isZero();
        assertThat(MetadataAudit.of(engine).digestCount()).as("digests of dead blocks").isZero();
    }

    @Test
    void zerosAreHolesAndShortPiecesLieTogether() throws IOException {
        byte[] bytes = new byte[3 * BLOCK];
        System.arraycopy(noise(BLOCK, 2), 0, bytes, BLOCK, BLOCK);
        var cuts = new ArrayList<>(cuts(2 * BLOCK, BLOCK));
        cuts.addAll(cuts(BLOCK, 1000).stream().map(cut -> new Cut(2 * BLOCK + cut.start(), cut.length())).toList());
        var counts = save("a", bytes, cuts);
        assertThat(counts.fresh()).isEqualTo(2 * BLOCK);
        assertThat(counts.holes()).isEqualTo(BLOCK);
        assertThat(volume.blocks()).isEqualTo(2);
        assertThat(load("a")).isEqualTo(bytes);
        assertThat(save("empty", new byte[0], List.of())).isEqualTo(Counts.NONE);
        assertThat(load("empty")).isEmpty();
    }

    /** More pieces than one transaction lays, of which many are the same. */
    @Test
    void manyPieces() throws IOException {
        byte[] bytes = noise(130 * BLOCK, 3);
        for (int i = 0; i < 130; i += 2) {
            System.arraycopy(bytes, 0, bytes, i * BLOCK, BLOCK);
        }
        save("a", bytes, cuts(bytes.length, BLOCK));
        assertThat(load("a")).isEqualTo(bytes);
        assertThat(save("b", bytes, cuts(bytes.length, BLOCK)).fresh()).isZero();
        assertThat(save("c", bytes, cuts(bytes.length, 9999)).shared()).isZero();
        assertThat(load("c")).isEqualTo(bytes);
    }

    /** The block that was found dies before the reference to it is counted. */
    @Test
    void aBlockThatDiesMeanwhileIsStoredAgain() throws IOException {
        byte[] bytes = noise(2 * BLOCK, 4);
        save("a", bytes, cuts(bytes.length, BLOCK));
        long a = vfs.lookup(Vfs.ROOT, Name.of("a")).ino();
        try (var file = vfs.createUnnamed(Vfs.ROOT, 0644, Owner.ROOT)) {
            var counts = new Pieces(vfs).fill(file, cuts(bytes.length, BLOCK), (offset, target) -> {
                target.put(bytes, (int) offset, target.remaining());
                intrusion.before(() -> vfs.truncate(a, 0));
            }, passed -> passed.position(passed.limit()));
            assertThat(intrusion.done()).isPositive();
            assertThat(counts.fresh()).isEqualTo(2 * BLOCK);
            assertThat(counts.shared()).isZero();
            vfs.place(file, Vfs.ROOT, Name.of("b"));
        }
        assertThat(load("b")).isEqualTo(bytes);
        reclaim();
        assertThat(load("b")).isEqualTo(bytes);
        assertThat(save("c", bytes, cuts(bytes.length, BLOCK)).shared()).as("the new ones are found")
                .isEqualTo(2 * BLOCK);
    }

    @Test
    void whatFailsLeavesNothing() throws IOException {
        byte[] bytes = noise(4 * BLOCK, 5);
        try (var file = vfs.createUnnamed(Vfs.ROOT, 0644, Owner.ROOT)) {
            assertThatThrownBy(() -> new Pieces(vfs).fill(file, cuts(bytes.length, BLOCK), (offset, target) -> {
                if (offset == 3 * BLOCK) {
                    throw new IOException("no more");
                }
                target.put(bytes, (int) offset, target.remaining());
            }, passed -> { })).hasMessage("no more");
            assertThatThrownBy(() -> new Pieces(vfs).fill(file, cuts(bytes.length, BLOCK),
                    (offset, target) -> target.put(bytes, (int) offset, target.remaining()), passed -> {
                throw new IllegalStateException("not these");
            })).hasMessage("not these");
        }
        assertThat(volume.blocks()).isZero();
    }

    /** Pieces that wait in their memory must not wait for tasks that wait for memory. */
    @Test
    void theThreadsForBlocksMayBeBusy() throws IOException {
        try (var busy = TestVolume.open(kind.open(), new MemoryBlockStore(), new ChunkSettings(BLOCK, 4096, 1 << 20),
                task -> { }, clock); var file = busy.vfs().createUnnamed(Vfs.ROOT, 0644, Owner.ROOT)) {
            byte[] bytes = noise(40 * BLOCK, 6);
            var counts = new Pieces(busy.vfs()).fill(file, cuts(bytes.length, BLOCK),
                    (offset, target) -> target.put(bytes, (int) offset, target.remaining()), passed -> { });
            assertThat(counts.fresh()).isEqualTo(bytes.length);
        }
    }

    /** Many save, overwrite and remove the same few contents at once. */
    @Test
    void countsStayRightInARace() throws Exception {
        var contents = new ArrayList<byte[]>();
        for (int i = 0; i < 4; i++) {
            contents.add(noise(3 * BLOCK, i % 2));
        }
        Race.of(4, 60, (thread, round) -> {
            var random = new Random(thread * 1000L + round);
            String name = "f" + random.nextInt(3);
            byte[] bytes = contents.get(random.nextInt(4));
            save(name, bytes, cuts(bytes.length, BLOCK));
            if (random.nextInt(3) == 0) {
                try {
                    vfs.unlink(Vfs.ROOT, Name.of(name));
                } catch (volsh.fs.FsException gone) {
                    // another one did
                }
            }
        });
        reclaim();
        assertThat(volume.blocks()).as("of six different pieces").isBetween(0L, 18L);
    }
}
