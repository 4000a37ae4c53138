package volsh.shard.format;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import volsh.shard.DamagedShardException;

/** Reads a protobuf message in a shard field by field. Never leaves the message, whatever lengths it claims. */
final class ProtoCursor {
    private static final int TEXT_MAX = 64 << 10;

    private final ShardWindow window;
    private final long end;
    private long at;
    private int tag;

    ProtoCursor(ShardWindow window, long from, long length) {
        this.window = window;
        this.at = from;
        this.end = from + length;
    }

    /** Goes to the next field. */
    boolean next() throws IOException {
        if (at == end) {
            return false;
        }
        long next = varint();
        if (next <= 0 || next > Integer.MAX_VALUE) {
            throw malformed();
        }
        tag = (int) next;
        return true;
    }

    int number() {
        return tag >>> 3;
    }

    boolean isDelimited() {
        return (tag & 7) == 2;
    }

    boolean isVarint() {
        return (tag & 7) == 0;
    }

    boolean isFixed32() {
        return (tag & 7) == 5;
    }

    boolean atEnd() {
        return at == end;
    }

    long offset() {
        return at;
    }

    long varint() throws IOException {
        long value = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            byte next = take();
            value |= (long) (next & 0x7f) << shift;
            if (next >= 0) {
                return value;
            }
        }
        throw malformed();
    }

    int fixed32() throws IOException {
        return take() & 0xff | (take() & 0xff) << 8 | (take() & 0xff) << 16 | (take() & 0xff) << 24;
    }

    private byte take() throws IOException {
        if (at == end) {
            throw malformed();
        }
        return window.array()[window.load(at++, 1)];
    }

    /** The message or bytes of a delimited field; goes on behind it. */
    ProtoCursor content() throws IOException {
        long length = varint();
        if (length < 0 || length > end - at) {
            throw malformed();
        }
        var content = new ProtoCursor(window, at, length);
        at += length;
        return content;
    }

    long length() {
        return end - at;
    }

    String text() throws IOException {
        if (length() > TEXT_MAX) {
            throw malformed();
        }
        int length = (int) length();
        int i = window.load(at, length);
        return new String(window.array(), i, length, StandardCharsets.UTF_8);
    }

    /** Passes over a field of any kind. */
    void skip() throws IOException {
        switch (tag & 7) {
            case 0 -> varint();
            case 1 -> pass(8);
            case 2 -> content();
            case 5 -> pass(4);
            default -> throw malformed();
        }
    }

    private void pass(int count) throws IOException {
        if (count > end - at) {
            throw malformed();
        }
        at += count;
    }

    DamagedShardException malformed() {
        return new DamagedShardException(at, "the record is not a tf.train.Example; if it need not be, read it as raw");
    }
}
