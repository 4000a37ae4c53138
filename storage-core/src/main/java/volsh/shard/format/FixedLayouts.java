package volsh.shard.format;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.OptionalInt;
import volsh.shard.DamagedShardException;
import volsh.shard.VectorType;
import volsh.shard.format.FixedReader.Layout;

/** Reads the headers of shards of tokens and vectors. What they say fits the size of the file, to the byte. */
final class FixedLayouts {
    private static final int TYPE = 24;
    private static final int VECTOR_SUM = 32;

    private FixedLayouts() {}

    static Layout tokens(ShardWindow window) throws IOException {
        byte[] header = header(window, FixedHeader.TOKENS, "tokens");
        if (!FixedHeader.isSealed(header)) {
            throw new DamagedShardException(0, "the checksum of the header is wrong");
        }
        var in = ByteBuffer.wrap(header).order(ByteOrder.LITTLE_ENDIAN);
        if (in.getInt(8) != 1) {
            throw new DamagedShardException(8, "version %d, this program knows 1".formatted(in.getInt(8)));
        }
        int width = in.getInt(12);
        long tokens = in.getLong(16);
        long length = in.getLong(24);
        if (width != 2 && width != 4 || length < 1 || length > 1 << 24 || tokens < 0 || tokens > window.end()) {
            throw new DamagedShardException(8, "%d tokens of %d bytes in sequences of %d"
                    .formatted(tokens, width, length));
        }
        return new Layout(width == 2 ? "u16" : "u32", length * width,
                samples(window, Math.ceilDiv(tokens, length), length * width), OptionalInt.of(in.getInt(40)));
    }

    /** The name of the type and the checksum are in what other programs pass over; theirs has none. */
    static Layout vectors(ShardWindow window, VectorType usual) throws IOException {
        byte[] header = header(window, FixedHeader.VECTORS, "vectors");
        var in = ByteBuffer.wrap(header);
        long samples = in.getLong(8);
        long dimension = in.getLong(16);
        boolean ours = !isZero(header);
        if (ours && !FixedHeader.isSealed(header)) {
            throw new DamagedShardException(0, "the checksum of the header is wrong");
        }
        var type = ours ? type(header) : usual;
        if (dimension < 1 || dimension > Long.MAX_VALUE / 8 || samples < 0) {
            throw new DamagedShardException(8, "%d samples of %d numbers".formatted(samples, dimension));
        }
        long size = dimension * type.bytes();
        return new Layout(type.field(), size, samples(window, samples, size), ours
                ? OptionalInt.of(in.order(ByteOrder.LITTLE_ENDIAN).getInt(VECTOR_SUM)) : OptionalInt.empty());
    }

    private static boolean isZero(byte[] header) {
        return Arrays.equals(header, TYPE, header.length, new byte[FixedHeader.BLOCK], TYPE, FixedHeader.BLOCK);
    }

    private static VectorType type(byte[] header) throws DamagedShardException {
        String name = new String(header, TYPE, VECTOR_SUM - TYPE, US_ASCII).strip().replace("\0", "");
        return Arrays.stream(VectorType.values()).filter(each -> each.field().equals(name)).findFirst()
                .orElseThrow(() -> new DamagedShardException(TYPE, "numbers of an unknown type"));
    }

    private static byte[] header(ShardWindow window, byte[] magic, String name) throws IOException {
        int i = window.load(0, FixedHeader.BLOCK);
        byte[] header = Arrays.copyOfRange(window.array(), i, i + FixedHeader.BLOCK);
        if (!FixedHeader.begins(header, magic)) {
            throw new DamagedShardException(0, "not a shard of " + name);
        }
        return header;
    }

    private static long samples(ShardWindow window, long samples, long size) throws DamagedShardException {
        long left = window.end() - FixedHeader.BLOCK;
        if (samples > left / size || samples * size != left) {
            throw new DamagedShardException(FixedHeader.BLOCK, "%s: %d samples of %d bytes, the file has %d for them"
                    .formatted(samples > left / size ? "truncated" : "too long", samples, size, left));
        }
        return samples;
    }
}
