package volsh.fs;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Where the bytes of an imported block are: a part of an object of a bucket, in one state of that object. The row of
 * such a block has this in place of the index of its frames, and the block's number has a bit of its own, so it is
 * known by its number alone: such a block has no object in the stores of the volume, and nothing may be stored or
 * deleted under its number.
 *
 * @param source the number of the import, which knows the bucket
 * @param offset where in the object the block begins
 * @param size the length of the whole object
 * @param etag the state of the object
 */
public record ImportedBlock(int source, long offset, long size, String etag, String key) {
    /** The longest ETag that is accepted. */
    public static final int ETAG_MAX = 1024;

    private static final int FORMAT = 1;
    private static final long BIT = 1L << 62;
    private static final int NUMBERS = 1 + Integer.BYTES + 2 * Long.BYTES + Short.BYTES;

    public ImportedBlock {
        if (source < 1 || offset < 0 || size <= offset || etag.isEmpty() || key.isEmpty()) {
            throw new IllegalArgumentException("impossible part of an object: source %d, %d of %d bytes"
                    .formatted(source, offset, size));
        }
    }

    /** Whether a block of this number is imported. */
    public static boolean is(long block) {
        return block >= BIT;
    }

    /** The number of an imported block that has this number of its own. */
    public static long id(long number) {
        return number | BIT;
    }

    /** The number of any block without the mark of imported ones. */
    public static long number(long block) {
        return is(block) ? block ^ BIT : block;
    }

    /** The row of a block that is this. */
    public BlockRow row(long id, long length, long owner) {
        return new BlockRow(id, length, length, 0, owner, toBytes());
    }

    /** @throws IllegalArgumentException if the row is not that of an imported block */
    public static ImportedBlock of(BlockRow row) {
        var block = parse(row.index());
        if (!is(row.id()) || row.rawSize() > block.size - block.offset) {
            throw new IllegalArgumentException("block %016x has %d bytes of an object of %d, from %d"
                    .formatted(row.id(), row.rawSize(), block.size, block.offset));
        }
        return block;
    }

    /** The part of the same object that begins there. */
    public ImportedBlock at(long from) {
        return new ImportedBlock(source, from, size, etag, key);
    }

    /** Whether both are parts of the same object, in the same state. */
    public boolean isOf(ImportedBlock other) {
        return source == other.source && size == other.size && etag.equals(other.etag) && key.equals(other.key);
    }

    byte[] toBytes() {
        byte[] state = etag.getBytes(StandardCharsets.UTF_8);
        byte[] name = key.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(NUMBERS + state.length + name.length)
                .put((byte) FORMAT).putInt(source).putLong(offset).putLong(size)
                .putShort((short) state.length).put(state).put(name).array();
    }

    private static ImportedBlock parse(byte[] bytes) {
        var in = ByteBuffer.wrap(bytes);
        if (bytes.length < NUMBERS || in.get() != FORMAT) {
            throw new IllegalArgumentException("not a part of an object that this volsh knows");
        }
        int source = in.getInt();
        long offset = in.getLong();
        long size = in.getLong();
        byte[] state = new byte[in.getShort()];
        if (state.length > in.remaining()) {
            throw new IllegalArgumentException("the ETag of a part of an object is cut short");
        }
        in.get(state);
        byte[] name = new byte[in.remaining()];
        in.get(name);
        return new ImportedBlock(source, offset, size, new String(state, StandardCharsets.UTF_8),
                new String(name, StandardCharsets.UTF_8));
    }
}
