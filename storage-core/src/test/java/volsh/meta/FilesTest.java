package volsh.meta;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import volsh.engine.memory.MemoryMetaEngine;
import volsh.fs.BlockRow;
import volsh.fs.Extent;
import volsh.fs.FileCommit;
import volsh.fs.FileKind;
import volsh.fs.FsException;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.inventory.Superblock;
import volsh.vfs.ManualClock;

/**
 * Files of thousands of extents: every change goes through, in as many transactions as it takes, with and without
 * history.
 */
final class FilesTest {
    private static final int LENGTH = 10_000;

    private final ManualClock clock = new ManualClock();
    private final MemoryMetaEngine engine = new MemoryMetaEngine();
    private Namespace names;
    private long ino;
    /** Which block every byte of the file comes from; 0 for a hole. */
    private final long[] owner = new long[LENGTH];

    @BeforeEach
    void format() throws IOException {
        var superblock = new Superblock(engine, clock);
        superblock.format(Owner.ROOT, 0755, "made", new byte[0]);
        names = new Namespace(engine, clock, superblock.sessions().open("test", 1, "test").id());
        ino = make("f");
    }

    private long make(String name) throws IOException {
        return names.makeNode(Namespace.ROOT, Name.of(name), FileKind.REGULAR, 0644, Owner.ROOT, 0).ino();
    }

    @AfterEach
    void rowsAgree() throws IOException {
        assertThat(MetadataAudit.of(engine).problems()).isEmpty();
    }

    private void history(boolean kept) throws IOException {
        new Ticks(engine, clock).retain(kept ? 1_000_000 : 0);
    }

    /** One flush: a block whose bytes lie at these places, each {@code length} long. */
    private void commit(int length, int... starts) throws IOException {
        clock.advance(Duration.ofSeconds(1));
        long id = names.files().newBlock();
        var extents = new ArrayList<Extent>();
        for (int start : starts) {
            extents.add(new Extent(start, length, id, (long) extents.size() * length));
            Arrays.fill(owner, start, start + length, id);
        }
        var block = new BlockRow(id, (long) length * starts.length, 1, 0, ino, new byte[4]);
        assertThat(names.files().commit(ino,
                new FileCommit(List.of(block), extents, extents.getLast().end(), OptionalLong.of(1), -1))).isPresent();
    }

    /** 2,000 extents of two bytes, each of a block of its own among ten. */
    private void scatter() throws IOException {
        for (int round = 0; round < 10; round++) {
            int shift = round;
            commit(2, IntStream.range(0, 200).map(i -> (i * 10 + shift) * 5).toArray());
        }
        expectOwners(ino, owner);
    }

    private void expectOwners(long file, long[] right) throws IOException {
        long[] found = new long[LENGTH];
        long at = 0;
        while (true) {
            var content = names.files().content(file, at, LENGTH);
            for (var extent : content.extents()) {
                Arrays.fill(found, (int) extent.start(), (int) extent.end(), extent.block());
                at = extent.end();
            }
            if (content.complete()) {
                break;
            }
        }
        assertThat(found).isEqualTo(right);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void oneExtentOverThousands(boolean kept) throws IOException {
        history(kept);
        scatter();
        commit(9_000, 3);
        expectOwners(ino, owner);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void thousandsOfExtentsOverThousands(boolean kept) throws IOException {
        history(kept);
        scatter();
        commit(1, IntStream.range(0, 3_000).map(i -> i * 3).toArray());
        expectOwners(ino, owner);
        commit(3, IntStream.range(0, 1_500).map(i -> i * 6 + 1).toArray());
        expectOwners(ino, owner);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void truncateThousands(boolean kept) throws IOException {
        history(kept);
        scatter();
        clock.advance(Duration.ofSeconds(1));
        assertThat(names.files().truncate(ino, 4_001).size()).isEqualTo(4_001);
        Arrays.fill(owner, 4_001, LENGTH, 0);
        expectOwners(ino, owner);
        clock.advance(Duration.ofSeconds(1));
        assertThat(names.files().truncate(ino, 0).allocated()).isZero();
        expectOwners(ino, new long[LENGTH]);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void punchThousands(boolean kept) throws IOException {
        history(kept);
        scatter();
        clock.advance(Duration.ofSeconds(1));
        names.files().punch(ino, 101, 9_901, false);
        Arrays.fill(owner, 101, 9_901, 0);
        expectOwners(ino, owner);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shareThousands(boolean kept) throws IOException {
        history(kept);
        scatter();
        long other = make("g");
        clock.advance(Duration.ofSeconds(1));
        assertThat(names.files().share(ino, 0, other, 0, 9_997)).isTrue();
        expectOwners(other, owner);
        clock.advance(Duration.ofSeconds(1));
        assertThat(names.files().share(ino, 7, other, 0, 9_000)).isTrue();
        long[] right = owner.clone();
        System.arraycopy(owner, 7, right, 0, 9_000);
        expectOwners(other, right);
        expectOwners(ino, owner);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void removeThousands(boolean kept) throws IOException {
        history(kept);
        scatter();
        names.unlink(Namespace.ROOT, Name.of("f"));
        clock.advance(Duration.ofSeconds(5));
        var superblock = new Superblock(engine, clock);
        superblock.sessions().renew(superblock.sessions().list().getFirst(), new Ticks(engine, clock).advance());
        var reclaim = new Reclaim(engine, clock, names.session());
        while (reclaim.freeOrphans()) {
            // until none is left
        }
        assertThat(MetadataAudit.of(engine).orphans()).isZero();
        assertThatThrownBy(() -> names.attributes(ino)).isInstanceOf(FsException.class);
        assertThat(MetadataAudit.of(engine).dead()).isEqualTo(kept ? 0 : 10);
    }

    /** A commit of several blocks, the last of which is first named in a later transaction. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void severalBlocksInOneCommit(boolean kept) throws IOException {
        history(kept);
        scatter();
        clock.advance(Duration.ofSeconds(1));
        var blocks = new ArrayList<BlockRow>();
        var extents = new ArrayList<Extent>();
        for (int i = 0; i < 5; i++) {
            long id = names.files().newBlock();
            blocks.add(new BlockRow(id, 2_000, 1, 0, ino, new byte[4]));
            extents.add(new Extent(i * 2_000L, 2_000, id, 0));
            Arrays.fill(owner, i * 2_000, i * 2_000 + 2_000, id);
        }
        assertThat(names.files().commit(ino, new FileCommit(blocks, extents, LENGTH, OptionalLong.empty(), -1)))
                .isPresent();
        expectOwners(ino, owner);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void everythingAtRandom(long seed) throws IOException {
        System.out.println("extents, seed " + seed);
        var random = new Random(seed);
        history(seed % 2 == 0);
        for (int i = 0; i < 150; i++) {
            int length = 1 + random.nextInt(40);
            int[] starts = new int[1 + random.nextInt(120)];
            int at = random.nextInt(500);
            int count = 0;
            while (count < starts.length && at + length < LENGTH) {
                starts[count++] = at;
                at += length + random.nextInt(100);
            }
            commit(length, Arrays.copyOf(starts, count));
            if (random.nextInt(4) == 0) {
                int from = random.nextInt(LENGTH);
                int to = Math.min(LENGTH, from + 1 + random.nextInt(3_000));
                names.files().punch(ino, from, to, false);
                Arrays.fill(owner, from, to, 0);
            }
            if (random.nextInt(10) == 0) {
                int size = random.nextInt(LENGTH);
                names.files().truncate(ino, size);
                Arrays.fill(owner, size, LENGTH, 0);
            }
            expectOwners(ino, owner);
        }
    }
}
