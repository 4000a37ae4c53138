package volsh.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Whatever happens to stored bytes, a reader gets the right ones or an exception: whole, by frame and by range. */
final class DamageTest {
    private static final int ROUNDS = Boolean.getBoolean("volsh.long") ? 20_000 : 1_200;
    private static final int INPUTS = Boolean.getBoolean("volsh.long") ? 1_000_000 : 5_000;
    private static final int LENGTH = 2 * BlockCodec.FRAME_LENGTH + 4_321;

    private final BlockCodec codec = new BlockCodec();
    private final long seed = Long.getLong("volsh.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final List<Sample> samples = new ArrayList<>();

    DamageTest() {
        for (Compression compression : Sample.COMPRESSIONS) {
            samples.add(Sample.of(codec, random, LENGTH, compression));
            samples.add(Sample.of(codec, random, LENGTH, compression, 20_000, 50_000, 200_000));
        }
    }

    @AfterEach
    void close() {
        codec.close();
    }

    @Test
    void everyDamageIsDetectedOnWholeBlocks() {
        int[] kinds = new int[4];
        for (int i = 0; i < ROUNDS; i++) {
            Sample sample = samples.get(random.nextInt(samples.size()));
            ByteBuffer damaged = damage(sample, i % 4);
            kinds[i % 4]++;
            assertThatThrownBy(() -> codec.verify(sample.identity(), damaged)).as("seed %d round %d", seed, i)
                    .isInstanceOf(CorruptBlockException.class);
        }
        report("whole", kinds);
    }

    @Test
    void rangesAreRightOrRefused() throws Exception {
        int refused = 0;
        int untouched = 0;
        for (int i = 0; i < ROUNDS; i++) {
            Sample sample = samples.get(random.nextInt(samples.size()));
            ByteBuffer damaged = damage(sample, i % 4);
            int from = random.nextInt(LENGTH);
            int to = from + 1 + random.nextInt(Math.min(LENGTH - from, 200_000));
            try {
                assertThat(sample.decode(codec, damaged, from, to)).as("seed %d round %d", seed, i)
                        .isEqualTo(sample.rawRange(from, to));
                untouched++;
            } catch (CorruptBlockException detected) {
                refused++;
            }
        }
        report("ranged", refused, untouched);
        assertThat(refused).isGreaterThan(ROUNDS / 5);
        assertThat(untouched).isPositive();
    }

    @Test
    void everyBitOfAFrameCounts() {
        Sample sample = Sample.of(codec, random, 60, new Compression.None());
        for (int bit = 0; bit < 8 * sample.block().stored().remaining(); bit++) {
            ByteBuffer damaged = flip(sample.copy(), bit);
            assertThatThrownBy(() -> codec.verify(sample.identity(), damaged))
                    .isInstanceOf(CorruptBlockException.class);
        }
    }

    @Test
    void anotherBlocksBytesNeverPass() {
        Sample mine = samples.getFirst();
        for (var stranger : List.of(
                new BlockIdentity(mine.identity().volume(), mine.identity().block() + 1),
                new BlockIdentity(new UUID(1, 2), mine.identity().block()))) {
            Sample other = Sample.of(codec, stranger, mine.raw(), new Compression.None());
            assertThatThrownBy(() -> codec.verify(mine.identity(), other.block().stored()))
                    .hasMessageContaining("wrong block, holds " + stranger);
            for (int from = 0; from < LENGTH; from += 50_000) {
                int at = from;
                assertThatThrownBy(() -> mine.decode(codec, other.copy(), at, at + 1))
                        .hasMessageContaining("checksum mismatch");
            }
        }
    }

    @Test
    void framesThatChangePlacesNeverPass() {
        Sample sample = samples.getFirst();
        FrameIndex index = sample.block().index();
        ByteBuffer swapped = sample.copy();
        swapped.put(index.storedOffset(0), sample.block().stored(), index.storedOffset(1), index.storedLength(1));
        swapped.put(index.storedOffset(1), sample.block().stored(), index.storedOffset(0), index.storedLength(0));
        assertThat(index.storedLength(0)).isEqualTo(index.storedLength(1));
        assertThatThrownBy(() -> sample.decode(codec, swapped, 5, 6))
                .hasMessageContaining("frame 0: checksum mismatch");
        assertThatThrownBy(() -> sample.decode(codec, swapped, BlockCodec.FRAME_LENGTH, BlockCodec.FRAME_LENGTH + 9))
                .hasMessageContaining("frame 1");
    }

    @Test
    void anIndexThatLiesAboutWhereAFrameBelongsIsDetected() throws Exception {
        Sample sample = samples.getFirst();
        var truth = sample.block().index();
        var raw = new int[truth.frameCount()];
        var payloads = new int[truth.frameCount()];
        for (int i = 0; i < raw.length; i++) {
            raw[i] = truth.rawLength(i);
            payloads[i] = truth.payloadLength(i);
        }
        raw[0] += 8;
        FrameIndex lie = FrameIndex.of(raw, payloads);
        ByteBuffer frame = sample.block().stored().slice(truth.storedOffset(1), truth.storedLength(1));
        codec.decodeFrame(sample.identity(), 1, truth, frame, ByteBuffer.allocateDirect(truth.rawLength(1)));
        assertThatThrownBy(
                () -> codec.decodeFrame(
                        sample.identity(), 1, lie, frame, ByteBuffer.allocateDirect(truth.rawLength(1))))
                .isInstanceOf(CorruptBlockException.class);
    }

    @Test
    void withoutChecksumsWrongBytesWouldBeHandedOut() {
        int wrong = 0;
        try (var blind = new BlockCodec(BlindChecksum::new, FrameEncryption.NONE)) {
            for (int i = 0; i < 400; i++) {
                Sample sample = samples.get(i % samples.size());
                ByteBuffer damaged = damage(sample, 0);
                try {
                    wrong += sample.decode(blind, damaged, 0, LENGTH).equals(sample.raw()) ? 0 : 1;
                } catch (CorruptBlockException noticedOtherwise) {
                    // a broken length or compressed stream is seen without a checksum, too
                }
            }
        }
        assertThat(wrong).as("negative control: damage the checksum alone can see").isGreaterThan(100);
    }

    @Test
    void anyBytesAreRefusedAsABlock() {
        Sample sample = samples.getFirst();
        for (int i = 0; i < INPUTS; i++) {
            var junk = new byte[random.nextInt(300)];
            random.nextBytes(junk);
            var bytes = ByteBuffer.allocateDirect(300).put(junk).flip();
            if (i % 2 == 0 && junk.length > 64) {
                bytes.put(0, sample.block().stored(), 0, 32).putInt(48, 1 + random.nextInt(1_000_000))
                        .putInt(52, random.nextInt());
                var crc = new CRC32C();
                crc.update(bytes.slice(0, 60));
                bytes.putInt(60, (int) crc.getValue());
            }
            assertThatThrownBy(() -> BlockCodec.open(sample.identity(), bytes))
                    .isInstanceOf(CorruptBlockException.class);
            assertThatThrownBy(() -> codec.verify(sample.identity(), bytes)).isInstanceOf(CorruptBlockException.class);
        }
    }

    /** 0: a bit flipped, 1: cut short, 2: lengthened, 3: a run of bytes overwritten by some of its own, elsewhere. */
    private ByteBuffer damage(Sample sample, int kind) {
        ByteBuffer copy = sample.copy();
        int size = copy.limit();
        return switch (kind) {
            case 0 -> flip(copy, random.nextInt(8 * size));
            case 1 -> copy.slice(0, random.nextInt(size));
            case 2 -> ByteBuffer.allocateDirect(size + 1 + random.nextInt(100)).put(copy).rewind();
            default -> moved(copy, sample.block().stored());
        };
    }

    private ByteBuffer moved(ByteBuffer copy, ByteBuffer original) {
        do {
            int length = 1 + random.nextInt(Math.min(1_000, copy.limit() - 1));
            copy.put(random.nextInt(copy.limit() - length), original, random.nextInt(copy.limit() - length), length);
        } while (copy.equals(original));
        return copy;
    }

    private static ByteBuffer flip(ByteBuffer bytes, int bit) {
        return bytes.put(bit / 8, (byte) (bytes.get(bit / 8) ^ 1 << bit % 8));
    }

    private void report(String what, int... counts) {
        System.out.printf("damage, %s: seed %d, %s%n", what, seed, Arrays.toString(counts));
    }

    /** Believes whatever checksum it finds. */
    private static final class BlindChecksum extends FrameChecksum {
        @Override
        int of(BlockIdentity identity, int frame, int rawOffset, ByteBuffer stored, int payloadLength) {
            return stored.getInt(FrameHeader.CHECKSUM_AT);
        }
    }
}
