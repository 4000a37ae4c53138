package volsh.ship;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.UUID;
import volsh.block.BlockKey;
import volsh.codec.CorruptBlockException;
import volsh.codec.ZstdBytes;

/**
 * One object of shipped metadata: a header that identifies it, its compressed content, and a digest of both, which the
 * next object names.
 *
 * <pre>
 *   0  4  "VSHP"        40  8  epoch              96  4  length of the content
 *   4  1  format, 1     48  8  first              100 4  its length as stored
 *   5  1  kind          56  8  last               104    content, zstd
 *   6  2  0             64 32  digest of the      end 32 SHA-256 of everything before
 *   8 16  volume               one before it
 *  24 16  copy
 * </pre>
 *
 * @param copy     the copy of the metadata it was made from: each take-over creates a new one
 * @param epoch    how often the volume was taken over before
 * @param first    of a log: the number of its first change; of a base: the change it begins after; of a part: its
 * number
 * @param last     of a log: the number of its last change; of a base: the change from which on it is complete
 * @param previous of a log or part: the digest of the previous one; of a base: of the log it begins after
 */
record ShippedObject(Kind kind, UUID volume, UUID copy, long epoch, long first, long last, byte[] previous,
        byte[] content) {
    static final int DIGEST_LENGTH = 32;
    /** The previous digest of the first in a chain. */
    static final byte[] NO_DIGEST = new byte[DIGEST_LENGTH];

    private static final int MAGIC = 0x56534850;
    private static final byte FORMAT = 1;
    private static final int HEADER = 104;
    /** Where the epoch field ends. */
    static final int EPOCH_END = 48;
    private static final int CONTENT_MAX = 512 << 20;

    /** The codes are part of the format. */
    enum Kind {
        LOG,
        PART,
        BASE;

        byte code() {
            return (byte) (ordinal() + 1);
        }
    }

    /** An object as it is stored. */
    record Sealed(byte[] bytes) {
        byte[] digest() {
            return Arrays.copyOfRange(bytes, bytes.length - DIGEST_LENGTH, bytes.length);
        }
    }

    Sealed seal() {
        byte[] stored = ZstdBytes.pack(content);
        var out = ByteBuffer.allocate(HEADER + stored.length + DIGEST_LENGTH);
        out.putInt(MAGIC).put(FORMAT).put(kind.code()).putShort((short) 0);
        out.putLong(volume.getMostSignificantBits()).putLong(volume.getLeastSignificantBits());
        out.putLong(copy.getMostSignificantBits()).putLong(copy.getLeastSignificantBits());
        out.putLong(epoch).putLong(first).putLong(last).put(previous);
        out.putInt(content.length).putInt(stored.length).put(stored);
        return new Sealed(out.put(digest(out.array(), out.position())).array());
    }

    /** @throws DamagedShipmentException unless these are exactly the bytes of an object of this kind and volume */
    static ShippedObject open(BlockKey key, byte[] bytes, Kind kind, UUID volume) throws DamagedShipmentException {
        int end = bytes.length - DIGEST_LENGTH;
        if (end < HEADER) {
            throw new DamagedShipmentException(key, "it is truncated: %d bytes".formatted(bytes.length));
        }
        if (!Arrays.equals(digest(bytes, end), 0, DIGEST_LENGTH, bytes, end, bytes.length)) {
            throw new DamagedShipmentException(key, "its digest does not match");
        }
        var in = ByteBuffer.wrap(bytes);
        if (in.getInt() != MAGIC) {
            throw new DamagedShipmentException(key, "it is not shipped metadata");
        }
        byte format = in.get();
        if (format != FORMAT) {
            throw new DamagedShipmentException(key,
                    "unsupported format %d: this volsh supports %d; upgrade volsh".formatted(format, FORMAT));
        }
        byte code = in.get();
        in.getShort();
        var its = uuid(in);
        if (code != kind.code() || !its.equals(volume)) {
            throw new DamagedShipmentException(key,
                    "it is of kind %d of volume %s instead of a %s of %s".formatted(code, its, kind, volume));
        }
        return open(key, in, kind, volume, end);
    }

    private static ShippedObject open(BlockKey key, ByteBuffer in, Kind kind, UUID volume, int end)
            throws DamagedShipmentException {
        var copy = uuid(in);
        long epoch = in.getLong();
        long first = in.getLong();
        long last = in.getLong();
        byte[] previous = new byte[DIGEST_LENGTH];
        in.get(previous);
        int length = in.getInt();
        int stored = in.getInt();
        if (length < 0 || length > CONTENT_MAX || stored != end - HEADER) {
            throw new DamagedShipmentException(key, "impossible lengths: %d, %d".formatted(length, stored));
        }
        byte[] packed = new byte[stored];
        in.get(packed);
        return new ShippedObject(kind, volume, copy, epoch, first, last, previous, unpack(key, packed, length));
    }

    private static byte[] unpack(BlockKey key, byte[] packed, int length) throws DamagedShipmentException {
        try {
            return ZstdBytes.unpack(packed, length);
        } catch (CorruptBlockException damaged) {
            throw new DamagedShipmentException(key, "it " + damaged.getMessage());
        }
    }

    private static UUID uuid(ByteBuffer in) {
        return new UUID(in.getLong(), in.getLong());
    }

    private static byte[] digest(byte[] bytes, int length) {
        try {
            var digest = MessageDigest.getInstance("SHA-256");
            digest.update(bytes, 0, length);
            return digest.digest();
        } catch (NoSuchAlgorithmException everyJavaHasIt) {
            throw new IllegalStateException(everyJavaHasIt);
        }
    }
}
