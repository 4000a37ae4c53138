package volsh.codec;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Blocks of version 1 as they were first written. They must decode for ever; never regenerate one that was released.
 */
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
    }
}
