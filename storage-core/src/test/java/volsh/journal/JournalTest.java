package volsh.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.disk.OsDisk;

@Tag("data")
final class JournalTest {
    private static final UUID ID = new UUID(3, 4);
    private static final InstantSource CLOCK = InstantSource.system();
    private static final int FLIPS = Boolean.getBoolean("volsh.long") ? 20_000 : 500;

    @TempDir
    Path home;

    private Path directory() {
        return home.resolve("journal");
    }

    private Journal create() throws IOException {
        return Journal.create(ID, directory(), new OsDisk(), CLOCK);
    }

    private Journal open() throws IOException {
        return Journal.open(ID, directory(), new OsDisk(), CLOCK);
    }

    private static byte[] bytes(long seed, int length) {
        byte[] bytes = new byte[length];
        new SplittableRandom(seed).nextBytes(bytes);
        return bytes;
    }

    /** What the journal has of it, or null. */
    private static byte[] read(Journal journal, long block, int length) throws IOException {
        var target = ByteBuffer.allocate(length);
        return journal.read(block, 0, target).isEmpty() ? null : Arrays.copyOf(target.array(), target.position());
    }

    private List<Path> files() throws IOException {
        try (var files = Files.list(directory())) {
            return files.sorted().toList();
        }
    }

    @Test
    void aStagedBlockIsReadFromAnywhereInIt() throws IOException {
        try (var journal = create()) {
            byte[] block = bytes(1, 10_000);
            journal.append(7, ByteBuffer.wrap(block));
            var part = ByteBuffer.allocate(100);
            assertThat(journal.read(7, 5_000, part)).contains(100);
            assertThat(part.array()).isEqualTo(Arrays.copyOfRange(block, 5_000, 5_100));
            assertThat(journal.read(7, 9_950, part.clear())).contains(50);
            assertThat(journal.read(7, 10_000, part.clear())).contains(0);
            assertThat(journal.read(8, 0, part.clear())).isEmpty();
        }
    }

    @Test
    void theNextProcessFindsWhatWasNotRemoved() throws IOException {
        var journal = create();
        for (long block = 1; block <= 20; block++) {
            journal.append(block, ByteBuffer.wrap(bytes(block, (int) block * 700)));
        }
        journal.remove(5);
        var next = open();   // the first was killed: nothing was closed
        assertThat(next.blocks()).hasSize(20);   // a removal is not written down: storing a block twice is harmless
        for (long block = 1; block <= 20; block++) {
            assertThat(read(next, block, 20_000)).isEqualTo(bytes(block, (int) block * 700));
        }
        assertThat(next.bytes()).isEqualTo(20 * 21 / 2 * 700);
        assertThat(next.damaged()).isEmpty();
    }

    @Test
    void filesGoWhenNothingWaitsInThem() throws IOException {
        try (var journal = create()) {
            for (long block = 1; block <= 40; block++) {
                journal.append(block, ByteBuffer.wrap(bytes(block, 4 << 20)));
            }
            assertThat(files()).hasSizeGreaterThan(2);
            for (long block = 1; block <= 40; block++) {
                journal.remove(block);
            }
            assertThat(files()).hasSize(1);
            journal.append(41, ByteBuffer.wrap(bytes(41, 4 << 20)));
            assertThat(read(journal, 41, 4 << 20)).isEqualTo(bytes(41, 4 << 20));
            journal.remove(41);
        }
        assertThat(files()).isEmpty();
    }

    @Test
    void anAppendThatIsRepeatedIsStagedOnce() throws IOException {
        try (var journal = create()) {
            journal.append(1, ByteBuffer.wrap(bytes(1, 5000)));
            journal.append(1, ByteBuffer.wrap(bytes(1, 5000)));
            assertThat(journal.bytes()).isEqualTo(5000);
            journal.remove(1);
            assertThat(journal.isDone()).isTrue();
        }
    }

    @Test
    void aJournalIsNotTakenForAnother() throws IOException {
        create().append(1, ByteBuffer.wrap(bytes(1, 5000)));
        var other = Journal.open(new UUID(9, 9), directory(), new OsDisk(), CLOCK);
        assertThat(other.blocks()).isEmpty();
        assertThat(other.damaged()).hasSize(1);
        assertThat(other.isDone()).isFalse();
    }

    /**
     * Each flip or cut hits one file; no block comes back with wrong bytes, and what is lost is either missing or
     * refused.
     */
    @Test
    void damageIsFound() throws IOException {
        long seed = System.nanoTime();
        var random = new Random(seed);
        System.out.printf("journal damage: seed %d%n", seed);
        int hit = 0;
        for (int i = 0; i < FLIPS; i++) {
            hit += damageOnce(random) ? 1 : 0;
        }
        System.out.printf("journal damage: %d of %d hit a block%n", hit, FLIPS);
        assertThat(hit).isGreaterThan(FLIPS / 4);
    }

    private boolean damageOnce(Random random) throws IOException {
        var lengths = new ArrayList<Integer>();
        var journal = create();
        for (int block = 0; block < 3; block++) {
            lengths.add(1 + random.nextInt(9000));
            journal.append(block, ByteBuffer.wrap(bytes(block, lengths.get(block))));
        }
        var file = files().getFirst();
        byte[] content = Files.readAllBytes(file);
        int at = random.nextInt(content.length);
        if (random.nextInt(4) == 0) {
            content = Arrays.copyOf(content, at);
        } else {
            content[at] ^= (byte) (1 << random.nextInt(8));
        }
        Files.write(file, content);
        int missed = 0;
        var next = open();
        for (int block = 0; block < 3; block++) {
            byte[] found = read(next, block, lengths.get(block));
            if (found == null) {
                missed++;
            } else {
                assertThat(found).as("block %d after damage at %d", block, at)
                        .isEqualTo(bytes(block, lengths.get(block)));
            }
        }
        Files.delete(file);
        return missed > 0;
    }

    /**
     * A bit of every byte of every header and block, one after the other, and a cut at each of them: right bytes, or
     * none and the file is kept as damaged.
     */
    @Test
    void aFlipOfAnyByteAndACutAnywhere() throws IOException {
        int blocks = 3;
        int length = 50;
        try (var journal = create()) {
            for (int block = 0; block < blocks; block++) {
                journal.append(block, ByteBuffer.wrap(bytes(block, length)));
            }
        }
        var file = files().getFirst();
        byte[] whole = Files.readAllBytes(file);
        boolean longer = Boolean.getBoolean("volsh.long");
        for (int entry = 0; entry < blocks; entry++) {
            for (int at = entry * Entry.ALIGNMENT; at < entry * Entry.ALIGNMENT + Entry.HEADER_LENGTH + length; at++) {
                for (int bit = longer ? 0 : at % 8; bit < (longer ? 8 : at % 8 + 1); bit++) {
                    byte[] flipped = whole.clone();
                    flipped[at] ^= (byte) (1 << bit);
                    Files.write(file, flipped);
                    var next = open();
                    for (int block = 0; block < blocks; block++) {
                        byte[] found = read(next, block, length);
                        assertThat(found).as("block %d after a flip of bit %d at %d", block, bit, at)
                                .isEqualTo(block == entry ? null : bytes(block, length));
                    }
                    next.blocks().forEach(block -> forget(next, block));
                    next.tidy();
                    boolean header = at < entry * Entry.ALIGNMENT + Entry.HEADER_LENGTH;
                    assertThat(Files.exists(file)).as("a file with something that cannot be read is kept, %d", at)
                            .isEqualTo(header);
                }
                Files.write(file, Arrays.copyOf(whole, at));
                var cut = open();
                for (int block = 0; block < blocks; block++) {
                    assertThat(read(cut, block, length)).as("block %d after a cut at %d", block, at)
                            .isEqualTo(block < entry ? bytes(block, length) : null);
                }
            }
        }
    }

    private static void forget(Journal journal, long block) {
        try {
            journal.remove(block);
        } catch (IOException failed) {
            throw new java.io.UncheckedIOException(failed);
        }
    }

    /** The control: without the check, wrong bytes would have come. */
    @Test
    void aFlipInABlockThatIsNotCheckedGivesWrongBytes() throws IOException {
        var journal = create();
        journal.append(1, ByteBuffer.wrap(bytes(1, 5000)));
        var file = files().getFirst();
        byte[] content = Files.readAllBytes(file);
        content[Entry.HEADER_LENGTH + 100] ^= 1;
        Files.write(file, content);
        // its own, written here: codecs check what they decode
        assertThat(read(journal, 1, 5000)).isNotEqualTo(bytes(1, 5000));
        assertThatThrownBy(() -> journal.load(1, ByteBuffer.allocate(5000)))
                .isInstanceOf(DamagedEntryException.class).hasMessageContaining("0000000000000001")
                .hasMessageContaining(file.toString());
    }
}
