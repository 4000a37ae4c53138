package volsh.codec;

import com.github.luben.zstd.ZstdCompressCtx;
import com.github.luben.zstd.ZstdDecompressCtx;
import java.nio.ByteBuffer;

/**
 * Frames of numbers that are split into planes, one per byte position, each compressed by itself: a single zstd frame
 * would give them all one code. The payload is the width, the stored length of each plane, and the planes; a plane that
 * zstd does not shrink is stored as it is.
 */
final class PlaneFrames {
    private final Planes planes = new Planes();
    private ByteBuffer room = ByteBuffer.allocateDirect(0);

    /** See {@link Planes#width}. */
    int width(ByteBuffer raw) {
        return planes.width(raw);
    }

    private static int head(int width) {
        return 1 + width * Integer.BYTES;
    }

    /**
     * Writes the payload to {@code at} of {@code stored}, which has room for a little more than {@code raw}; returns
     * its length.
     */
    int pack(ZstdCompressCtx zstd, ByteBuffer raw, int width, ByteBuffer stored, int at) {
        var apart = room(raw.limit());
        planes.split(raw, width, apart);
        stored.put(at, (byte) width);
        int end = at + head(width);
        for (int plane = 0, from = 0; plane < width; plane++) {
            int length = Planes.length(raw.limit(), width, plane);
            int packed = zstd.compressDirectByteBuffer(stored, end, stored.limit() - end, apart, from, length);
            if (packed >= length) {
                packed = length;
                stored.put(end, apart, from, length);
            }
            stored.putInt(at + 1 + plane * Integer.BYTES, packed);
            end += packed;
            from += length;
        }
        return end - at;
    }

    /**
     * Unpacks a payload to {@code rawLength} bytes at {@code to} of {@code target}; returns how many it has, or -1 if
     * it is not a payload.
     */
    int unpack(ZstdDecompressCtx zstd, ByteBuffer stored, int at, int payload, ByteBuffer target, int to,
            int rawLength) {
        int width = payload == 0 ? 0 : stored.get(at);
        if (!Planes.isWidth(width) || payload <= head(width)) {
            return -1;
        }
        var apart = room(rawLength);
        int end = at + head(width);
        for (int plane = 0, into = 0; plane < width; plane++) {
            int length = Planes.length(rawLength, width, plane);
            int packed = stored.getInt(at + 1 + plane * Integer.BYTES);
            if (packed < 0 || packed > length || packed > at + payload - end) {
                return -1;
            }
            if (packed == length) {
                apart.put(into, stored, end, length);
            } else if (zstd.decompressDirectByteBuffer(apart, into, length, stored, end, packed) != length) {
                return -1;
            }
            end += packed;
            into += length;
        }
        if (end != at + payload) {
            return -1;
        }
        planes.join(apart, width, target, to, rawLength);
        return rawLength;
    }

    private ByteBuffer room(int length) {
        if (room.capacity() < length) {
            room = ByteBuffer.allocateDirect(Math.max(length, BlockCodec.FRAME_LENGTH));
        }
        return room;
    }
}
