package volsh.fs;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A POSIX access control list, in the form in which Linux passes it as an extended attribute. One of three entries says
 * the same as the permissions of a file; a longer one has a mask, which the permissions show as those of the group.
 */
public record AccessList(List<Entry> entries) {
    /** The extended attribute of the list that says who may access a file. */
    public static final String ACCESS = "system.posix_acl_access";
    /** That of the list which files made in a directory inherit. */
    public static final String DEFAULT = "system.posix_acl_default";

    private static final byte[] ACCESS_BYTES = ACCESS.getBytes(StandardCharsets.US_ASCII);
    private static final byte[] DEFAULT_BYTES = DEFAULT.getBytes(StandardCharsets.US_ASCII);
    private static final int VERSION = 2;
    private static final int HEADER_BYTES = 4;
    private static final int ENTRY_BYTES = 8;
    private static final int USER_OWNER = 1;
    private static final int USER = 2;
    private static final int GROUP_OWNER = 4;
    private static final int GROUP = 8;
    private static final int MASK = 16;
    private static final int OTHER = 32;
    private static final int ALL = 7;

    /** What a class of users may do; {@code id} is the number of a user or group, or -1. */
    public record Entry(int tag, int permissions, int id) {
        private Entry with(int others) {
            return new Entry(tag, others, id);
        }
    }

    public AccessList {
        entries = List.copyOf(entries);
    }

    /** The extended attribute {@link #ACCESS}. */
    public static byte[] accessName() {
        return ACCESS_BYTES.clone();
    }

    /** The extended attribute {@link #DEFAULT}. */
    public static byte[] defaultName() {
        return DEFAULT_BYTES.clone();
    }

    public static boolean isAccess(byte[] name) {
        return Arrays.equals(name, ACCESS_BYTES);
    }

    public static boolean isDefault(byte[] name) {
        return Arrays.equals(name, DEFAULT_BYTES);
    }

    /** Empty without entries. @throws FsException INVALID if it is no list that Linux would take */
    public static AccessList of(byte[] bytes) throws FsException {
        var in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        if (bytes.length < HEADER_BYTES || (bytes.length - HEADER_BYTES) % ENTRY_BYTES != 0
                || in.getInt() != VERSION) {
            throw new FsException(FsError.INVALID, "not an access control list");
        }
        var entries = new ArrayList<Entry>();
        while (in.hasRemaining()) {
            entries.add(new Entry(in.getShort(), in.getShort(), in.getInt()));
        }
        var list = new AccessList(entries);
        if (!entries.isEmpty() && !list.isValid()) {
            throw new FsException(FsError.INVALID, "an access control list that is incomplete or out of order");
        }
        return list;
    }

    /** The owner, users, the group, groups, the mask and others, in this order. */
    private boolean isValid() {
        int last = 0;
        boolean named = false;
        for (var each : entries) {
            boolean repeats = each.tag == USER || each.tag == GROUP;
            boolean known = Integer.bitCount(each.tag) == 1 && each.tag <= OTHER && each.tag > 0;
            if (!known || (each.permissions & ~ALL) != 0 || each.tag < last || each.tag == last && !repeats) {
                return false;
            }
            named |= repeats;
            last = each.tag;
        }
        return has(USER_OWNER) && has(GROUP_OWNER) && has(OTHER) && (!named || has(MASK));
    }

    private boolean has(int tag) {
        return entries.stream().anyMatch(each -> each.tag == tag);
    }

    private int permissions(int tag) {
        return entries.stream().filter(each -> each.tag == tag).mapToInt(Entry::permissions).findFirst().orElse(0);
    }

    public boolean isEmpty() {
        return entries.isEmpty();
    }

    /** Whether permissions say the same. */
    public boolean isMode() {
        return entries.stream().allMatch(each -> (each.tag & (USER_OWNER | GROUP_OWNER | OTHER)) != 0);
    }

    /** What a user may do who does not own the file, of reading, writing and executing. */
    public int allowed(Owner who, int fileGroup) {
        int mask = has(MASK) ? permissions(MASK) : ALL;
        for (var each : entries) {
            if (each.tag == USER && each.id == who.uid()) {
                return each.permissions & mask;
            }
        }
        int group = 0;
        boolean member = false;
        for (var each : entries) {
            if (each.tag == GROUP_OWNER && fileGroup == who.gid() || each.tag == GROUP && each.id == who.gid()) {
                group |= each.permissions & mask;
                member = true;
            }
        }
        return member ? group : permissions(OTHER);
    }

    /** The nine bits of permissions that stand for this list. */
    public int mode() {
        return permissions(USER_OWNER) << 6 | permissions(groupClass()) << 3 | permissions(OTHER);
    }

    private int groupClass() {
        return has(MASK) ? MASK : GROUP_OWNER;
    }

    /** After the permissions of the file were set to these. */
    public AccessList withMode(int mode) {
        return mapped(mode >> 6 & ALL, mode >> 3 & ALL, mode & ALL);
    }

    /** As a new file inherits it that was made with these permissions. */
    public AccessList masked(int mode) {
        return mapped(permissions(USER_OWNER) & mode >> 6, permissions(groupClass()) & mode >> 3,
                permissions(OTHER) & mode);
    }

    private AccessList mapped(int owner, int group, int other) {
        int groupTag = groupClass();
        return new AccessList(entries.stream().map(each -> each.tag == USER_OWNER ? each.with(owner)
                : each.tag == groupTag ? each.with(group) : each.tag == OTHER ? each.with(other) : each).toList());
    }

    public byte[] bytes() {
        var out = ByteBuffer.allocate(HEADER_BYTES + entries.size() * ENTRY_BYTES).order(ByteOrder.LITTLE_ENDIAN)
                .putInt(VERSION);
        entries.forEach(each -> out.putShort((short) each.tag).putShort((short) each.permissions).putInt(each.id));
        return out.array();
    }
}
