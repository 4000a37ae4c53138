package volsh.codec;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Blocks of version 1 as they were first written. They must decode for ever; never regenerate one that was released.
 */
@Tag("data")
final class GoldenTest {
    private static final BlockIdentity IDENTITY = new BlockIdentity(
            UUID.fromString("6f1d3c2a-0b7e-4c55-9d8e-2f4a6b8c0d1e"), 0x0123456789abcdefL);
    private static final int[] STARTS = {1_000, 2_500};

    @ParameterizedTest
    @ValueSource(strings = {"none", "lz4", "zstd"})
    void versionOneDecodes(String name) throws Exception {
        try (var codec = new BlockCodec()) {
            ByteBuffer golden = golden(name);
            FrameIndex index = codec.verify(IDENTITY, golden);
            var decoded = ByteBuffer.allocateDirect(index.rawSize());
            int base = index.storedOffset(0);
            codec.decode(IDENTITY, index, 0, golden.slice(base, golden.limit() - base), 0, index.rawSize(), decoded);
            assertThat(decoded.flip()).isEqualTo(raw());
            assertThat(index.frameCount()).isEqualTo(3);
        }
    }

    /** Codec 3 of frames, for numbers; the second and third frame. */
    @Test
    void planesDecode() throws Exception {
        try (var codec = new BlockCodec()) {
            ByteBuffer golden = golden("planes");
            FrameIndex index = codec.verify(IDENTITY, golden);
            var decoded = ByteBuffer.allocateDirect(index.rawSize());
            int base = index.storedOffset(0);
            codec.decode(IDENTITY, index, 0, golden.slice(base, golden.limit() - base), 0, index.rawSize(), decoded);
            assertThat(decoded.flip()).isEqualTo(numbers());
            assertThat(golden.get(5)).isEqualTo((byte) 3);
            assertThat(golden.get(index.storedOffset(0) + 8)).as("codec of the text").isEqualTo((byte) 2);
            assertThat(golden.get(index.storedOffset(1) + 8)).as("codec of the numbers").isEqualTo((byte) 3);
            assertThat(golden.get(index.storedOffset(1) + 16)).as("their width").isEqualTo((byte) 2);
            assertThat(golden.get(index.storedOffset(2) + 16)).as("the others' width").isEqualTo((byte) 4);
        }
    }

    /** Text, then numbers of two bytes and of four, the last one cut. */
    private static ByteBuffer numbers() {
        var raw = ByteBuffer.allocateDirect(40_003).order(java.nio.ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < 1_000; i++) {
            raw.put((byte) "golden block ".charAt(i % 13));
        }
        long state = 1;
        for (int i = 0; i < 9_750; i++) {
            state = state * 6364136223846793005L + 1442695040888963407L;
            raw.putShort((short) (0x3c00 | (state >>> 62) << 8 | state >>> 33 & 0xff));
        }
        while (raw.remaining() >= 4) {
            state = state * 6364136223846793005L + 1442695040888963407L;
            raw.putInt((int) (0x3c000000 | (state >>> 63) << 24 | state >>> 33 & 0xffffff));
        }
        return raw.put((byte) 1).put((byte) 2).put((byte) 3).flip().order(java.nio.ByteOrder.BIG_ENDIAN);
    }

    @Test
    void versionOneIsStillWritten() throws Exception {
        assertThat(encode(new Compression.None())).isEqualTo(golden("none"));
    }

    @Test
    void compactIndexOfVersionOneReads() throws Exception {
        FrameIndex index = BlockCodec.open(IDENTITY, golden("none"));
        assertThat(index.toBytes()).asHexString().isEqualTo("0203E807D00FDC0BE807DC0B00");
        assertThat(FrameIndex.parse(index.toBytes())).isEqualTo(index);
    }

    private static ByteBuffer encode(Compression compression) {
        try (var codec = new BlockCodec()) {
            return Sample.of(codec, IDENTITY, raw(), compression, STARTS).block().stored();
        }
    }

    /** Text, then numbers that do not compress. */
    private static ByteBuffer raw() {
        var raw = ByteBuffer.allocateDirect(4_000);
        for (int i = 0; i < 2_500; i++) {
            raw.put((byte) "golden block ".charAt(i % 13));
        }
        for (long i = 0, state = 1; i < 1_500; i++, state = state * 6364136223846793005L + 1442695040888963407L) {
            raw.put((byte) (state >>> 33));
        }
        return raw.flip();
    }

    private static ByteBuffer golden(String name) throws Exception {
        try (InputStream resource = GoldenTest.class.getResourceAsStream("block-v1-%s.bin".formatted(name))) {
            byte[] bytes = resource.readAllBytes();
            return ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
        }
    }

    /** Writes the files of a new version: the directory is the argument. */
    public static void main(String[] arguments) throws Exception {
        for (String name : new String[] {"none", "lz4", "zstd"}) {
            ByteBuffer stored = encode(Compression.of(name));
            var bytes = new byte[stored.remaining()];
            stored.get(bytes);
            Files.write(Path.of(arguments[0], "block-v1-%s.bin".formatted(name)), bytes);
        }
        try (var codec = new BlockCodec()) {
            ByteBuffer stored = Sample.of(codec, IDENTITY, numbers(), new Compression.Planes(1), 1_000, 20_500).block()
                    .stored();
            var bytes = new byte[stored.remaining()];
            stored.get(bytes);
            Files.write(Path.of(arguments[0], "block-v1-planes.bin"), bytes);
        }
    }
}
