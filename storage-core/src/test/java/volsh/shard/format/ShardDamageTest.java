package volsh.shard.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import volsh.shard.DamagedShardException;
import volsh.shard.ShardFormat;
import volsh.shard.UnfitSampleException;

/**
 * Damaged shards: every bit of a small one turned, every length of it. A reader says what is wrong, or gives the
 * samples that were written; it gives others only where docs/SHARDS.md says that the format has no checksum.
 */
@Tag("data")
final class ShardDamageTest {
    private static final int ROUNDS = Boolean.getBoolean("volsh.long") ? 1_000_000 : 3000;

    /** What a reader makes of a file: empty if it says that it is damaged. */
    private static Optional<Map<String, Map<String, String>>> read(TestShard shard) throws IOException {
        try {
            return Optional.of(shard.read());
        } catch (DamagedShardException | UnfitSampleException said) {
            return Optional.empty();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"TFRECORD", "RECORDS", "TOKENS", "MMAP"})
    void everyTurnedBitIsFound(ShardFormat format) throws IOException {
        var shard = GoldenShards.write(format);
        for (int bit = 0; bit < 8 * shard.bytes().length; bit++) {
            assertThat(read(shard.with(turned(shard.bytes(), bit)))).as("bit %d", bit).isEmpty();
        }
    }

    /** Headers have checksums, contents and extended headers have none. */
    @Test
    void turnedBitsOfTarHeadersAreFound() throws IOException {
        var shard = GoldenShards.write(ShardFormat.WEBDATASET);
        var unprotected = unprotected(shard);
        var contents = GoldenShards.contents(shard.format());
        for (int bit = 0; bit < 8 * shard.bytes().length; bit += 9) {      // one of nearly each byte
            var read = read(shard.with(turned(shard.bytes(), bit)));
            if (!unprotected.contains(bit / 8)) {
                assertThat(read).as("bit %d", bit).satisfiesAnyOf(
                        damaged -> assertThat(damaged).isEmpty(),
                        same -> assertThat(same).hasValue(contents));    // between a content and the next header
            }
        }
    }

    private static Set<Integer> unprotected(TestShard shard) {
        var bytes = new HashSet<Integer>();
        for (var sample : shard.positions()) {
            for (var field : sample.fields()) {
                for (int i = 0; i < field.length(); i++) {
                    bytes.add((int) field.offset() + i);
                }
            }
        }
        for (int at = 0; at < shard.bytes().length; at += 512) {
            if (shard.bytes()[at + 156] == 'x') {
                for (int i = 512; i < 1024; i++) {
                    bytes.add(at + i);
                }
            }
        }
        return bytes;
    }

    /** The format has no checksums; but what does not fit together is found, and nothing crashes. */
    @Test
    void turnedBitsOfMdsChangeNoMoreThanValuesAndNames() throws IOException {
        var shard = GoldenShards.write(ShardFormat.MDS);
        for (int bit = 0; bit < 8 * shard.bytes().length; bit++) {
            var read = read(shard.with(turned(shard.bytes(), bit)));
            if (bit / 8 < 4 + 4 * 4) {
                assertThat(read).as("bit %d of the table", bit).isEmpty();
            }
            assertThat(read.map(Map::size).orElse(3)).as("bit %d", bit).isBetween(2, 3);   // keys may become the same
        }
    }

    @ParameterizedTest
    @EnumSource
    void everyTruncationIsFound(ShardFormat format) throws IOException {
        var shard = GoldenShards.write(format);
        var ends = shard.positions().stream().mapToLong(position -> position.offset() + position.length()).boxed()
                .toList();
        for (int length = 0; length < shard.bytes().length; length++) {
            var read = read(shard.with(Arrays.copyOf(shard.bytes(), length)));
            if (format == ShardFormat.TFRECORD && (length == 0 || ends.contains((long) length))) {
                assertThat(read).as("%d bytes, which are whole records", length).hasValueSatisfying(samples ->
                        assertThat(samples).hasSizeLessThan(3));
            } else {
                assertThat(read).as("%d bytes", length).isEmpty();
            }
        }
    }

    /** Claims with right checksums, but of more than the file has. */
    @Test
    void claimsOfTenGibibytesAreRefused() throws IOException {
        long claim = 10L << 30;
        var tfrecord = GoldenShards.write(ShardFormat.TFRECORD);
        var head = little(tfrecord.bytes()).putLong(0, claim);
        head.putInt(8, Crc32c.masked(Crc32c.of(tfrecord.bytes(), 0, 8)));
        assertThatThrownBy(tfrecord::read).hasMessage(
                "damaged at offset 0: truncated: a record of 10737418240 bytes where the file has 892 left");

        var records = GoldenShards.write(ShardFormat.RECORDS);
        int length = little(records.bytes()).getInt(64);
        little(records.bytes()).putLong(64 + 8 + 8, claim);
        little(records.bytes()).putInt(64 + 4 + length, Crc32c.of(records.bytes(), 64, 4 + length));
        assertThatThrownBy(records::read).hasMessageContaining("field 'jpg' of 10737418240 bytes where the shard has ");

        var mds = GoldenShards.write(ShardFormat.MDS);
        little(mds.bytes()).putInt(0, -1);
        assertThatThrownBy(mds::read).hasMessage("damaged at offset 0: 4294967295 samples in a file of 948 bytes");

        var vectors = GoldenShards.write(ShardFormat.MMAP);
        ByteBuffer.wrap(vectors.bytes()).putLong(8, 1L << 62).putLong(16, 4);     // their product is 0
        assertThatThrownBy(vectors.with(sealed(vectors.bytes()))::read).hasMessageContaining("truncated");

        var tokens = GoldenShards.write(ShardFormat.TOKENS);
        little(tokens.bytes()).putLong(16, claim);
        assertThatThrownBy(tokens.with(sealed(tokens.bytes()))::read).hasMessageContaining("10737418240 tokens");
    }

    /** Nonsense with right checksums, as a program with a bug writes it: said, or read as something. Never a crash. */
    @ParameterizedTest
    @EnumSource(names = {"TFRECORD", "RECORDS", "MDS", "WEBDATASET"})
    void nonsenseIsNoCrash(ShardFormat format) throws IOException {
        long seed = Long.getLong("volsh.seed", System.nanoTime());
        System.out.printf("volsh.seed=%d %s%n", seed, format);
        var random = new Random(seed);
        var shard = GoldenShards.write(format);
        int said = 0;
        for (int round = 0; round < ROUNDS; round++) {
            byte[] bytes = shard.bytes().clone();
            for (int i = random.nextInt(3); i >= 0; i--) {
                bytes[random.nextInt(bytes.length)] = (byte) (random.nextBoolean() ? random.nextInt() : 0x7f);
            }
            said += read(shard.with(resealed(format, bytes))).isEmpty() ? 1 : 0;
        }
        assertThat(said).as("of %d", ROUNDS).isPositive();
    }

    /** Makes the checksums right again that would hide the nonsense. */
    private static byte[] resealed(ShardFormat format, byte[] bytes) {
        var in = little(bytes);
        switch (format) {
            case TFRECORD -> {
                int length = Math.clamp(in.getLong(0), 0, bytes.length - 16);
                in.putLong(0, length).putInt(8, Crc32c.masked(Crc32c.of(bytes, 0, 8)));
                in.putInt(12 + length, Crc32c.masked(Crc32c.of(bytes, 12, length)));
            }
            case RECORDS -> {
                int length = Math.clamp(in.getInt(64), 0, 200);
                in.putInt(64 + 4 + length, Crc32c.of(bytes, 64, 4 + length));
                int end = bytes.length - 64;
                int index = Math.clamp(in.getLong(end + 24), 0, end);
                in.putInt(end + 12, Crc32c.of(bytes, index, end - index));
                in.putInt(end + 60, Crc32c.of(bytes, end, 60));
            }
            default -> {
                // has none, or of its headers only
            }
        }
        return bytes;
    }

    private static byte[] sealed(byte[] shard) {
        little(shard).putInt(60, Crc32c.of(shard, 0, 60));
        return shard;
    }

    private static ByteBuffer little(byte[] bytes) {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static byte[] turned(byte[] bytes, int bit) {
        byte[] other = bytes.clone();
        other[bit / 8] ^= (byte) (1 << bit % 8);
        return other;
    }

    /** The comparison itself: an undamaged shard of each format is read. */
    @ParameterizedTest
    @EnumSource
    void nothingIsFoundWhereNothingIsWrong(ShardFormat format) throws IOException {
        assertThat(read(GoldenShards.write(format))).hasValue(GoldenShards.contents(format));
    }
}
