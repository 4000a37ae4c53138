package volsh.tensor;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import volsh.fs.ByteSource;

/** The directory of a zip file by torch.save: entries are not compressed. Supports more than 4 GiB (zip64). */
final class ZipDirectory {
    private static final int LOCAL = 0x04034b50;
    private static final int CENTRAL = 0x02014b50;
    private static final int END = 0x06054b50;
    private static final int END64 = 0x06064b50;
    private static final int LOCATOR64 = 0x07064b50;
    private static final int END_BYTES = 22;
    private static final int LOCATOR_BYTES = 20;
    private static final int COMMENT_MAX = 0xffff;
    private static final long DIRECTORY_MAX = 256 << 20;
    private static final long UNSAID = 0xffffffffL;

    private final ByteSource bytes;

    private ZipDirectory(ByteSource bytes) {
        this.bytes = bytes;
    }

    static boolean looksLike(ByteSource bytes) throws IOException {
        return bytes.size() >= 4 && little(TensorBytes.take(bytes, 0, 4)).getInt() == LOCAL;
    }

    /** The entries as tensors, with only place and name. */
    static List<Tensor> read(ByteSource bytes) throws IOException {
        return new ZipDirectory(bytes).entries();
    }

    private record Span(long start, long length, long count) {}

    private List<Tensor> entries() throws IOException {
        var span = directory();
        if (span.length() > DIRECTORY_MAX || span.start() < 0 || span.length() < 0
                || span.start() > bytes.size() - span.length()) {
            throw new TensorFormatException("bad directory: %d bytes at %d".formatted(span.length(), span.start()));
        }
        var rows = little(TensorBytes.take(bytes, span.start(), (int) span.length()));
        var entries = new ArrayList<Tensor>();
        for (long i = 0; i < span.count(); i++) {
            entries.add(entry(rows));
        }
        entries.sort(Comparator.comparingLong(Tensor::start));
        long end = 0;
        for (var entry : entries) {
            if (entry.start() < end || entry.end() > span.start()) {
                throw new TensorFormatException("bad directory: entry '%s' overlaps another part"
                        .formatted(entry.name()));
            }
            end = entry.end();
        }
        return entries;
    }

    private Span directory() throws IOException {
        int tail = (int) Math.min(bytes.size(), END_BYTES + COMMENT_MAX);
        long base = bytes.size() - tail;
        var last = little(TensorBytes.take(bytes, base, tail));
        for (int at = tail - END_BYTES; at >= 0; at--) {
            if (last.getInt(at) == END) {
                long count = Short.toUnsignedLong(last.getShort(at + 10));
                long length = Integer.toUnsignedLong(last.getInt(at + 12));
                long start = Integer.toUnsignedLong(last.getInt(at + 16));
                boolean large = count == 0xffff || length == UNSAID || start == UNSAID;
                return large ? directory64(base + at) : new Span(start, length, count);
            }
        }
        throw new TensorFormatException("truncated archive: no directory");
    }

    private Span directory64(long end) throws IOException {
        var locator = little(TensorBytes.take(bytes, end - LOCATOR_BYTES, LOCATOR_BYTES));
        if (locator.getInt(0) != LOCATOR64) {
            throw new TensorFormatException("bad directory: its 64-bit locator is missing");
        }
        var row = little(TensorBytes.take(bytes, locator.getLong(8), 56));
        if (row.getInt(0) != END64) {
            throw new TensorFormatException("bad directory: its 64-bit end is missing");
        }
        return new Span(row.getLong(48), row.getLong(40), row.getLong(32));
    }

    private Tensor entry(ByteBuffer rows) throws IOException {
        if (rows.remaining() < 46 || rows.getInt(rows.position()) != CENTRAL) {
            throw new TensorFormatException("bad directory: an entry is missing");
        }
        int at = rows.position();
        int nameLength = Short.toUnsignedInt(rows.getShort(at + 28));
        int extraLength = Short.toUnsignedInt(rows.getShort(at + 30));
        int commentLength = Short.toUnsignedInt(rows.getShort(at + 32));
        if (rows.remaining() < 46 + nameLength + extraLength + commentLength) {
            throw new TensorFormatException("bad directory: an entry is truncated");
        }
        long stored = Integer.toUnsignedLong(rows.getInt(at + 20));
        long raw = Integer.toUnsignedLong(rows.getInt(at + 24));
        long header = Integer.toUnsignedLong(rows.getInt(at + 42));
        var name = new byte[nameLength];
        rows.get(at + 46, name);
        var extra = rows.slice(at + 46 + nameLength, extraLength).order(ByteOrder.LITTLE_ENDIAN);
        var large = large(extra);
        if (large != null) {    // contains the fields missing above, in this order
            raw = raw == UNSAID && large.remaining() >= 8 ? large.getLong() : raw;
            stored = stored == UNSAID && large.remaining() >= 8 ? large.getLong() : stored;
            header = header == UNSAID && large.remaining() >= 8 ? large.getLong() : header;
        }
        rows.position(at + 46 + nameLength + extraLength + commentLength);
        String text = new String(name, StandardCharsets.UTF_8);
        long start = data(header, text);
        if (stored < 0 || start > bytes.size() - stored) {
            throw new TensorFormatException("truncated archive: entry '%s' is truncated".formatted(text));
        }
        return new Tensor(text, NumberType.UNKNOWN, List.of(), start, start + stored);
    }

    private static @Nullable ByteBuffer large(ByteBuffer extra) {
        while (extra.remaining() >= 4) {
            int kind = Short.toUnsignedInt(extra.getShort());
            int length = Math.min(Short.toUnsignedInt(extra.getShort()), extra.remaining());
            if (kind == 1) {
                return extra.slice(extra.position(), length).order(ByteOrder.LITTLE_ENDIAN);
            }
            extra.position(extra.position() + length);
        }
        return null;
    }

    /** Where the data of an entry begins: after its local header, whose extra field may differ from the directory's. */
    private long data(long header, String name) throws IOException {
        var local = little(TensorBytes.take(bytes, header, 30));
        if (local.getInt(0) != LOCAL) {
            throw new TensorFormatException("bad archive: entry '%s' is not where the directory says".formatted(name));
        }
        return header + 30 + Short.toUnsignedInt(local.getShort(26)) + Short.toUnsignedInt(local.getShort(28));
    }

    private static ByteBuffer little(ByteBuffer bytes) {
        return bytes.order(ByteOrder.LITTLE_ENDIAN);
    }
}
