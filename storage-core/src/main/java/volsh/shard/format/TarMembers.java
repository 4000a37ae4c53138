package volsh.shard.format;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import volsh.shard.DamagedShardException;

/**
 * The members of a tar archive in their order: ustar, pax, and what GNU tar adds (long names, large sizes) or old
 * programs wrote. Every header's checksum is verified, and no size is believed that the archive has no room for.
 */
final class TarMembers {
    private static final int BLOCK = TarHeader.BLOCK;
    private static final byte[] ZEROS = new byte[BLOCK];
    /** Programs fill the archive's last record with zeros; none of them that much. */
    private static final long FILL_MAX = 1 << 20;

    private final ShardWindow window;
    private final boolean whole;
    private long at;

    /** What extended headers say about the member that follows them. */
    private static final class Extended {
        private @Nullable String path;
        private long size = -1;
        private boolean sparse;
        private boolean malformed;
    }

    /** @param whole whether the archive's end must come, rather than the window's */
    TarMembers(ShardWindow window, long at, boolean whole) {
        this.window = window;
        this.at = at;
        this.whole = whole;
    }

    /** The next member or null at the end. The window keeps what is after {@code keep} if it can. */
    @Nullable TarMember next(long keep) throws IOException {
        long first = at;
        var extended = new Extended();
        while (!atEnd(first)) {
            int i = window.load(at, BLOCK, Math.min(keep, first));
            if (window.array()[i] == 0 && isZero(i)) {
                requireEnd(first);
                return null;
            }
            TarFields.requireChecksum(window.array(), i, at);
            int type = window.array()[i + 156];
            long size = hasContent(type) ? size(i, extended) : 0;
            if (type == 'x' || type == 'L' || type == 'K') {
                read(type, TarFields.extendedSize(size, at), extended);
            } else if (type != '5' && type != 'g') {
                var member = member(first, i, type, size, extended);
                at = member.end();
                if (!member.name().endsWith("/")) {
                    return member;
                }
                first = at;
                extended = new Extended();
            } else {
                at += BLOCK + TarHeader.padded(size);
                first = type == 'g' ? first : at;
                extended = type == 'g' ? extended : new Extended();
            }
        }
        return null;
    }

    /** Links, devices, directories and pipes have no bytes, whatever their header says. */
    private static boolean hasContent(int type) {
        return type < '1' || type > '6';
    }

    private boolean atEnd(long first) throws IOException {
        long left = window.end() - at;
        if (left >= BLOCK) {
            return false;
        }
        if (left > 0 || first != at) {
            throw new DamagedShardException(at, "truncated: the archive ends within a header");
        }
        if (whole) {
            throw new DamagedShardException(at, at == 0 ? "the file is empty: not a tar archive"
                    : "the end of the archive is missing; all members before are complete, more may have followed");
        }
        return true;
    }

    private boolean isZero(int i) {
        return Arrays.equals(window.array(), i, i + BLOCK, ZEROS, 0, BLOCK);
    }

    /** Two blocks of zeros, and then nothing but zeros. */
    private void requireEnd(long first) throws IOException {
        if (first != at) {
            throw new DamagedShardException(at, "an extended header without a member");
        }
        if (window.end() - at < 2 * BLOCK) {
            throw new DamagedShardException(at, "truncated: the second block of the archive's end is missing");
        }
        if (window.end() - at > FILL_MAX) {
            throw new DamagedShardException(at, "%d bytes follow the end of the archive".formatted(window.end() - at));
        }
        for (; at < window.end(); at += BLOCK) {
            int count = (int) Math.min(BLOCK, window.end() - at);
            int i = window.load(at, count);
            if (!Arrays.equals(window.array(), i, i + count, ZEROS, 0, count)) {
                throw new DamagedShardException(at, "bytes follow the end of the archive");
            }
        }
    }

    private long size(int i, Extended extended) throws DamagedShardException {
        int type = window.array()[i + 156];
        boolean own = type == 'x' || type == 'g' || type == 'L' || type == 'K' || extended.size < 0;
        long size = own ? TarFields.number(window.array(), i + 124, 12, at) : extended.size;
        long left = window.end() - at - BLOCK;
        if (size > left) {
            throw new DamagedShardException(at, "truncated: a member of %d bytes where the archive has %d left"
                    .formatted(size, left));
        }
        if (whole && TarHeader.padded(size) > left) {
            throw new DamagedShardException(at, "truncated: the archive ends right after a member");
        }
        return size;
    }

    private void read(int type, int size, Extended extended) throws IOException {
        long from = at + BLOCK;
        int i = window.load(from, size);
        if (type == 'x') {
            var records = PaxRecords.read(window.array(), i, size, from);
            extended.path = records.path() == null ? extended.path : records.path();
            extended.size = records.size() < 0 ? extended.size : records.size();
            extended.sparse |= records.sparse();
        } else if (type == 'L') {
            extended.path = text(window.array(), i, TarFields.length(window.array(), i, size), extended);
        }
        at = from + TarHeader.padded(size);
    }

    private TarMember member(long first, int i, int type, long size, Extended extended) {
        String name = extended.path != null ? extended.path : plainName(i, extended);
        String problem = extended.malformed ? "has a name that is not UTF-8"
                : extended.sparse ? "is a sparse file" : TarFields.problem(type);
        if (problem == null && !TarMember.hasKey(name)) {
            problem = "has no extension, or nothing before it";
        }
        return new TarMember(name, first, at + BLOCK, size, problem);
    }

    private String plainName(int i, Extended extended) {
        byte[] block = window.array();
        String name = text(block, i, TarFields.length(block, i, 100), extended);
        boolean posix = block[i + 257] == 'u' && block[i + 262] == 0;   // GNU's old format has times there
        int prefix = posix ? TarFields.length(block, i + 345, 155) : 0;
        return prefix == 0 ? name : text(block, i + 345, prefix, extended) + "/" + name;
    }

    private static String text(byte[] bytes, int from, int length, Extended extended) {
        try {
            return UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes, from, length)).toString();
        } catch (CharacterCodingException wrong) {
            extended.malformed = true;
            return new String(bytes, from, length, ISO_8859_1);
        }
    }
}
