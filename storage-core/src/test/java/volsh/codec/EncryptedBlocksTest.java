package volsh.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import volsh.crypt.VolumeKey;

/** Encrypted blocks give back what was written, and nothing else, also to somebody who can compute checksums. */
@Tag("data")
final class EncryptedBlocksTest {
    private static final int FRAME = BlockCodec.FRAME_LENGTH;
    private static final int ATTACKS = Boolean.getBoolean("volsh.long") ? 10_000 : 600;

    private final VolumeKey key = VolumeKey.random();
    private final BlockCodec codec = new BlockCodec(FrameEncryption.with(key));
    private final BlockCodec plain = new BlockCodec();
    private final long seed = Long.getLong("volsh.seed", System.nanoTime());
    private final Random random = new Random(seed);

    @AfterEach
    void close() {
        codec.close();
        plain.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 15, 28, 29, 300, 432, 433, 480, 4096, FRAME - 1, FRAME, FRAME + 1, 3 * FRAME, 1_000_003})
    void whatWasEncryptedIsDecryptedWholeAndInAnyRange(int length) throws Exception {
        for (Compression compression : Sample.COMPRESSIONS) {
            Sample sample = Sample.of(codec, random, length, compression);
            FrameIndex index = sample.block().index();
            assertThat(codec.verify(sample.identity(), sample.block().stored())).isEqualTo(index);
            assertThat(FrameIndex.parse(index.toBytes())).isEqualTo(index);
            assertThat(sample.decode(codec, sample.block().stored(), 0, length)).isEqualTo(sample.raw());
            for (int i = 0; i < 10; i++) {
                int from = random.nextInt(length);
                int to = from + 1 + random.nextInt(length - from);
                assertThat(sample.decode(codec, sample.block().stored(), from, to)).as("seed %d", seed)
                        .isEqualTo(sample.rawRange(from, to));
            }
        }
    }

    @Test
    void aBlockSealedInPlaceIsEncryptedToo() throws Exception {
        Sample sample = Sample.of(codec, random, 3 * FRAME + 5, new Compression.None());
        EncodedBlock sealed = Sample.sealed(codec, sample);
        assertThat(codec.verify(sample.identity(), sealed.stored())).isEqualTo(sample.block().index());
        assertThat(new Sample(sample.identity(), sample.raw(), sealed).decode(codec, sealed.stored(), 0, 3 * FRAME + 5))
                .isEqualTo(sample.raw());
        assertThat(sealed.stored()).as("another nonce").isNotEqualTo(sample.block().stored());
    }

    /** A raw frame's bytes may be handed out from where they are stored; those of an encrypted one never. */
    @Test
    void noEncryptedFrameLooksLikeARawOne() {
        for (int length = 1; length < 2_000; length++) {
            var words = ByteBuffer.allocateDirect(length);
            for (int i = 0; i < length; i++) {
                words.put(i, (byte) (random.nextInt(10) == 0 ? random.nextInt() : 'a'));
            }
            FrameIndex index = Sample.of(codec, new BlockIdentity(new UUID(1, 1), length), words,
                    Sample.COMPRESSIONS.get(length % Sample.COMPRESSIONS.size())).block().index();
            assertThat(index.isRaw(0, index.frameCount() - 1)).as("%d bytes", length).isFalse();
        }
    }

    @Test
    void storedBytesShowNothingAndNeverRepeat() {
        byte[] secret = "the plaintext that must not be found".getBytes(StandardCharsets.UTF_8);
        var raw = ByteBuffer.allocateDirect(3 * FRAME);
        while (raw.remaining() >= secret.length) {
            raw.put(secret);
        }
        raw.flip();
        var identity = new BlockIdentity(new UUID(1, 2), 3);
        for (Compression compression : Sample.COMPRESSIONS) {
            byte[] one = bytes(Sample.of(codec, identity, raw, compression).block().stored());
            byte[] two = bytes(Sample.of(codec, identity, raw, compression).block().stored());
            assertThat(has(one, secret, 8)).isFalse();
            assertThat(one).isNotEqualTo(two);
        }
        assertThat(has(bytes(Sample.of(plain, identity, raw, new Compression.Lz4()).block().stored()), secret, 8))
                .as("negative control").isTrue();
    }

    /** Flips, swaps and replays, all with right checksums. */
    @Test
    void changedFramesWithRightChecksumsDoNotDecrypt() {
        Sample sample = Sample.of(codec, random, 3 * FRAME, new Compression.None());
        Sample other = Sample.of(codec, new BlockIdentity(sample.identity().volume(), 77), sample.raw(),
                new Compression.None());
        for (int i = 0; i < ATTACKS; i++) {
            ByteBuffer attacked = sample.copy();
            int frame = random.nextInt(3);
            FrameIndex index = sample.block().index();
            int at = index.storedOffset(frame);
            switch (i % 4) {
                case 0 -> {
                    int bit = random.nextInt(8 * (index.storedLength(frame) - FrameHeader.LENGTH));
                    int place = at + FrameHeader.LENGTH + bit / 8;
                    attacked.put(place, (byte) (attacked.get(place) ^ 1 << bit % 8));
                }
                case 1 -> attacked.put(at, sample.block().stored(), index.storedOffset((frame + 1) % 3),
                        index.storedLength(0));
                case 2 -> attacked.put(at, other.block().stored(), at, index.storedLength(frame));
                default -> attacked.put(at + 8, (byte) (1 + random.nextInt(3)));   // another codec
            }
            reseal(sample, attacked, frame);
            assertThatThrownBy(() -> sample.decode(codec, attacked, index.rawOffset(frame), index.rawOffset(frame) + 9))
                    .as("seed %d attack %d", seed, i).isInstanceOf(CorruptBlockException.class)
                    .hasMessageContaining("does not decrypt");
        }
    }

    @Test
    void withoutEncryptionRightChecksumsAreEnoughForAnAttacker() throws Exception {
        Sample sample = Sample.of(plain, random, FRAME, new Compression.None());
        ByteBuffer attacked = sample.copy();
        int at = sample.block().index().storedOffset(0) + FrameHeader.LENGTH;
        attacked.put(at, (byte) (attacked.get(at) ^ 1));
        reseal(sample, attacked, 0);
        assertThat(sample.decode(plain, attacked, 0, 10)).as("negative control").isNotEqualTo(sample.rawRange(0, 10));
    }

    @Test
    void otherKeysAndPlainVolumesReadNothing() {
        Sample sample = Sample.of(codec, random, FRAME, new Compression.Lz4());
        try (var other = new BlockCodec(FrameEncryption.with(VolumeKey.random()))) {
            assertThatThrownBy(() -> other.verify(sample.identity(), sample.block().stored()))
                    .hasMessageEndingWith("does not decrypt: it was changed, or its key is another one");
        }
        assertThatThrownBy(() -> plain.verify(sample.identity(), sample.block().stored()))
                .hasMessageEndingWith("is encrypted, unlike its volume");
    }

    @Test
    void plainFramesAreReadOnlyWhileAVolumeIsBeingEncrypted() throws Exception {
        Sample old = Sample.of(plain, random, FRAME + 5, new Compression.Lz4());
        assertThatThrownBy(() -> codec.verify(old.identity(), old.block().stored()))
                .hasMessageEndingWith("is not encrypted, unlike its volume");
        try (var underway = new BlockCodec(FrameEncryption.underway(key))) {
            assertThat(old.decode(underway, old.block().stored(), 0, FRAME + 5)).isEqualTo(old.raw());
            Sample fresh = Sample.of(underway, random, FRAME, new Compression.Lz4());
            assertThat(fresh.decode(codec, fresh.block().stored(), 0, FRAME)).isEqualTo(fresh.raw());
        }
    }

    @Test
    void checksumsAreCheckedWithoutDecrypting() throws Exception {
        Sample sample = Sample.of(codec, random, 2 * FRAME, new Compression.None());
        FrameIndex index = sample.block().index();
        int head = index.storedOffset(0);
        codec.check(sample.identity(), index, 0, 1,
                sample.block().stored().slice(head, index.storedSize() - head));
        assertThat(codec.isRight(sample.identity(), index, sample.block().stored())).isTrue();
        assertThat(index.storedSize()).isEqualTo(head + 2 * (FrameHeader.LENGTH + FRAME + FrameCipher.OVERHEAD));
    }

    /** Gives a frame the checksum that its bytes should have, as anybody can. */
    private static void reseal(Sample sample, ByteBuffer stored, int frame) {
        FrameIndex index = sample.block().index();
        ByteBuffer one = stored.slice(index.storedOffset(frame), index.storedLength(frame));
        one.putInt(FrameHeader.CHECKSUM_AT, new FrameChecksum().of(sample.identity(), frame, index.rawOffset(frame),
                one.duplicate(), index.payloadLength(frame)));
    }

    private static byte[] bytes(ByteBuffer buffer) {
        var bytes = new byte[buffer.remaining()];
        buffer.get(buffer.position(), bytes);
        return bytes;
    }

    /** Whether any run of {@code length} bytes of the text is in the bytes. */
    private static boolean has(byte[] bytes, byte[] text, int length) {
        String all = new String(bytes, StandardCharsets.ISO_8859_1);
        String wanted = new String(text, StandardCharsets.ISO_8859_1);
        for (int i = 0; i + length <= wanted.length(); i++) {
            if (all.contains(wanted.substring(i, i + length))) {
                return true;
            }
        }
        return false;
    }
}
