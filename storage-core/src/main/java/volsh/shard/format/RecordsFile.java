package volsh.shard.format;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import volsh.shard.DamagedShardException;

/**
 * The fixed parts of a record shard (docs/SHARDS.md): a header, records, an index with a row for each record, the keys,
 * a footer that says where the index is. All numbers are little endian.
 *
 * @param index where the rows begin
 * @param keys  where the keys begin: behind the rows
 * @param count how many records there are
 * @param sum   the CRC-32C of rows and keys
 */
record RecordsFile(long index, long keys, long count, int sum) {
    static final int BLOCK = FixedHeader.BLOCK;
    static final int ROW = 24;
    private static final byte[] HEADER = "VOLREC01".getBytes(US_ASCII);
    private static final byte[] FOOTER = "VOLRECIX".getBytes(US_ASCII);

    static byte[] header() {
        return FixedHeader.sealed(FixedHeader.begun(HEADER, ByteOrder.LITTLE_ENDIAN).putInt(1));
    }

    byte[] footer() {
        return FixedHeader.sealed(FixedHeader.begun(FOOTER, ByteOrder.LITTLE_ENDIAN).putInt(1).putInt(sum)
                .putLong(count).putLong(index).putLong(keys));
    }

    static boolean looksLike(byte[] start) {
        return FixedHeader.begins(start, HEADER);
    }

    /** Reads header and footer, and the index once: what they say agrees with each other and with the file's size. */
    static RecordsFile read(ShardWindow window) throws IOException {
        if (window.end() < 2 * BLOCK) {
            throw new DamagedShardException(0, "truncated: a file of %d bytes".formatted(window.end()));
        }
        block(window, 0, HEADER, "header");
        long at = window.end() - BLOCK;
        var footer = block(window, at, FOOTER, "footer");
        int sum = footer.getInt();
        var file = new RecordsFile(footer.getLong(24), footer.getLong(32), footer.getLong(16), sum);
        if (file.count < 0 || file.count > at / ROW || file.index < BLOCK || file.keys < file.index || file.keys > at
                || file.keys - file.index != file.count * ROW) {
            throw new DamagedShardException(at, "the footer does not fit the file");
        }
        if (Crc32c.of(window, file.index, at - file.index) != sum) {
            throw new DamagedShardException(file.index, "the checksum of the index is wrong");
        }
        return file;
    }

    private static ByteBuffer block(ShardWindow window, long at, byte[] magic, String name) throws IOException {
        var block = ByteBuffer.allocate(BLOCK).order(ByteOrder.LITTLE_ENDIAN);
        block.put(0, window.array(), window.load(at, BLOCK), BLOCK);
        if (!block.slice(0, 8).equals(ByteBuffer.wrap(magic))) {
            throw new DamagedShardException(at, "no %s: truncated, or not a shard of records".formatted(name));
        }
        if (!FixedHeader.isSealed(block.array())) {
            throw new DamagedShardException(at, "the checksum of the %s is wrong".formatted(name));
        }
        if (block.getInt(8) != 1) {
            throw new DamagedShardException(at, "version %d, this program knows 1".formatted(block.getInt(8)));
        }
        return block.position(12);
    }
}
