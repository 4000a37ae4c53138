package volsh.shard.format;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import org.jspecify.annotations.Nullable;
import volsh.shard.DamagedShardException;

/**
 * What the records of a pax header say about the next member.
 *
 * @param path the name, or null if the member's own header has it
 * @param size the size, negative if the member's own header has it
 */
record PaxRecords(@Nullable String path, long size, boolean sparse) {
    /** Each record is "LENGTH KEY=VALUE\n". */
    static PaxRecords read(byte[] bytes, int from, int length, long offset) throws DamagedShardException {
        String path = null;
        long size = -1;
        boolean sparse = false;
        for (int at = from; at < from + length;) {
            int space = find(bytes, at, Math.min(from + length, at + 8), ' ');
            int next = at + number(bytes, at, space);
            int equals = space < 0 ? -1 : find(bytes, space, Math.min(next, from + length), '=');
            if (equals < 0 || next > from + length || bytes[next - 1] != '\n') {
                throw new DamagedShardException(offset + at - from, "a malformed record of an extended header");
            }
            String key = new String(bytes, space + 1, equals - space - 1, US_ASCII);
            switch (key) {
                case "path" -> path = text(bytes, equals + 1, next - 1, offset + at - from);
                case "size" -> size = size(bytes, equals + 1, next - 1, offset + at - from);
                default -> sparse |= key.startsWith("GNU.sparse.");
            }
            at = next;
        }
        return new PaxRecords(path, size, sparse);
    }

    private static int find(byte[] bytes, int from, int to, char wanted) {
        for (int i = from; i < to; i++) {
            if (bytes[i] == wanted) {
                return i;
            }
        }
        return -1;
    }

    /** 0 if these are not digits. */
    private static int number(byte[] bytes, int from, int to) {
        int value = 0;
        for (int i = from; i < to; i++) {
            if (bytes[i] < '0' || bytes[i] > '9') {
                return 0;
            }
            value = value * 10 + bytes[i] - '0';
        }
        return value;
    }

    private static String text(byte[] bytes, int from, int to, long offset) throws DamagedShardException {
        try {
            String text = UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes, from, to - from)).toString();
            if (!text.isEmpty() && text.indexOf('\0') < 0) {
                return text;
            }
        } catch (CharacterCodingException wrong) {
            // said below
        }
        throw new DamagedShardException(offset, "the name in an extended header is empty or not UTF-8");
    }

    private static long size(byte[] bytes, int from, int to, long offset) throws DamagedShardException {
        try {
            long size = Long.parseLong(new String(bytes, from, to - from, US_ASCII));
            if (size >= 0) {
                return size;
            }
        } catch (NumberFormatException wrong) {
            // said below
        }
        throw new DamagedShardException(offset, "the size in an extended header is not a number");
    }
}
