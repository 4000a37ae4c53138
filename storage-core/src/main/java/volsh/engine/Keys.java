package volsh.engine;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.UUID;
import volsh.fs.Digest;
import volsh.fs.ImportedBlock;
import volsh.fs.Lock;
import volsh.fs.Name;

/**
 * The key schema, frozen: one letter for the kind, then fixed-width big-endian numbers, then at most one name. Capital
 * {@code A D E L N X} are the name space and have a history; everything else is bookkeeping and has none.
 *
 * <pre>
 *  N ino            attributes                    b id           block row, immutable
 *  E dir name       directory entry               u id           uses of the block, absent = 1, 0 = dead forever
 *  X ino end        extent                        d tick id      dead block, waiting for gc
 *  D ino            inline data                   o tick ino     unlinked file, waiting for its last reader
 *  L ino            symbolic link target          s session      session: lease, low-water, block ids
 *  A ino name       extended attribute            S dir lane     directory counters (add)
 *  h key 0 end      history of a name-space key   U lane         usage counters (add)
 *  e dir name 0 tick number   what a name referred to when it was removed in the tick of its last change
 *  t                the tick                      c name         id counters
 *  r                retained ticks                v name         settings
 *  g                guard of directory renames    p journal      blocks may wait on a host
 *  P pack           an object of many blocks      w ...          change log, see volsh.ship
 *  i digest         the block that holds this     l id           where in a pack a block lies
 *  i id             the digest of a block         f ino kind     locks of a file
 *  n name           snapshot                      n 0 tick       this tick is a snapshot
 *  q ...            quotas, see QuotaKeys         m store id     a store lacks its part
 *  z number         a layout, as text             y g            the turn to collect garbage
 *  n 1 tick session the session reads this tick   f 0 2 session  lock waits of a session
 *  x id             block row, imported           y u lane       imported bytes (add)
 *  y d lane         directories (add)
 * </pre>
 *
 * Reserved for later: {@code k} checkpoints.
 */
public final class Keys {
    public static final MetaKey TICK = MetaKey.of((byte) 't');
    public static final MetaKey RETAINED = MetaKey.of((byte) 'r');
    public static final MetaKey GUARD = MetaKey.of((byte) 'g');
    public static final MetaKey NEXT_INODE = named('c', "inode");
    public static final MetaKey NEXT_BLOCK = named('c', "block");
    public static final MetaKey NEXT_SESSION = named('c', "session");

    private static final byte LOCK_WAITS = 2;

    private Keys() {}

    public static MetaKey node(long ino) {
        return of('N', ino);
    }

    public static MetaKey entry(long directory, Name name) {
        return of('E', directory, name.bytes());
    }

    public static MetaKey entries(long directory) {
        return of('E', directory);
    }

    public static MetaKey extent(long ino, long end) {
        return of('X', ino, end);
    }

    public static MetaKey extents(long ino) {
        return of('X', ino);
    }

    public static MetaKey inline(long ino) {
        return of('D', ino);
    }

    public static MetaKey target(long ino) {
        return of('L', ino);
    }

    public static MetaKey attribute(long ino, byte[] name) {
        return of('A', ino, name);
    }

    public static MetaKey attributes(long ino) {
        return of('A', ino);
    }

    /** The row of a block; that of an imported one is of a kind of its own, which no code for stored blocks meets. */
    public static MetaKey block(long id) {
        return of(ImportedBlock.is(id) ? 'x' : 'b', id);
    }

    public static MetaKey uses(long block) {
        return of('u', block);
    }

    public static MetaKey dead(long tick, long block) {
        return of('d', tick, block);
    }

    public static MetaKey orphan(long tick, long ino) {
        return of('o', tick, ino);
    }

    public static MetaKey session(long session) {
        return of('s', session);
    }

    public static MetaKey directoryCounters(long directory, int lane) {
        return MetaKey.of(ByteBuffer.allocate(10).put((byte) 'S').putLong(directory).put((byte) lane).array());
    }

    public static MetaKey directoryCounters(long directory) {
        return of('S', directory);
    }

    public static MetaKey usage(int lane) {
        return MetaKey.of((byte) 'U', (byte) lane);
    }

    /** The counter of imported bytes. */
    public static MetaKey imported(int lane) {
        return MetaKey.of((byte) 'y', (byte) 'u', (byte) lane);
    }

    /** The prefix of the counters of imported bytes. */
    public static MetaKey imported() {
        return MetaKey.of((byte) 'y', (byte) 'u');
    }

    /** The counter of directories, and of the roots among them: 0 in a volume that did not count from its beginning. */
    public static MetaKey directories(int lane) {
        return MetaKey.of((byte) 'y', (byte) 'd', (byte) lane);
    }

    /** The prefix of the counters of directories. */
    public static MetaKey directories() {
        return MetaKey.of((byte) 'y', (byte) 'd');
    }

    public static MetaKey journal(UUID id) {
        return MetaKey.of(ByteBuffer.allocate(17)
                .put((byte) 'p')
                .putLong(id.getMostSignificantBits())
                .putLong(id.getLeastSignificantBits())
                .array());
    }

    public static MetaKey pack(long id) {
        return of('P', id);
    }

    public static MetaKey place(long block) {
        return of('l', block);
    }

    /** A block by its content. */
    public static MetaKey digest(Digest digest) {
        return MetaKey.of(ByteBuffer.allocate(1 + Digest.BYTES).put((byte) 'i').put(digest.bytes()).array());
    }

    /** The digest of a block; distinguished from the key above by its length. */
    public static MetaKey digestOf(long block) {
        return of('i', block);
    }

    public static MetaKey locks(long ino, Lock.Kind kind) {
        return MetaKey.of(ByteBuffer.allocate(10).put((byte) 'f').putLong(ino).put(lockKind(kind)).array());
    }

    /** The lock waits of this session; there is no file 0. */
    public static MetaKey lockWaits(long session) {
        return MetaKey.of(ByteBuffer.allocate(18).put((byte) 'f').putLong(0).put(LOCK_WAITS).putLong(session).array());
    }

    public static MetaKey lockWaits() {
        return MetaKey.of(ByteBuffer.allocate(10).put((byte) 'f').putLong(0).put(LOCK_WAITS).array());
    }

    /** The session of this {@link #lockWaits(long)} row. */
    public static long lockWaitsSession(MetaKey key) {
        return ByteBuffer.wrap(key.bytes()).getLong(10);
    }

    /** Whether this is a key of locks, rather than waits. */
    public static boolean isLocks(MetaKey key) {
        return key.bytes()[9] != LOCK_WAITS;
    }

    private static byte lockKind(Lock.Kind kind) {
        return switch (kind) {
            case WHOLE -> 0;
            case RANGE -> 1;
        };
    }

    /** The kind of the locks under this key. */
    public static Lock.Kind lockKind(MetaKey key) {
        return key.bytes()[9] == 0 ? Lock.Kind.WHOLE : Lock.Kind.RANGE;
    }

    public static MetaKey layout(int number) {
        return of('z', (long) number);
    }

    public static MetaKey missing(int store, long block) {
        return of('m', (long) store, block);
    }

    public static MetaKey setting(String name) {
        return named('v', name);
    }

    /** The key of the version of {@code key} that was current until tick {@code end}. */
    public static MetaKey history(MetaKey key, long end) {
        byte[] bytes = key.bytes();
        return MetaKey.of(ByteBuffer.allocate(bytes.length + 10)
                .put((byte) 'h')
                .put(bytes)
                .put((byte) 0)
                .putLong(end)
                .array());
    }

    /** The prefix of the versions of the entries of a directory. */
    public static MetaKey historyOfEntries(long directory) {
        return MetaKey.of(ByteBuffer.allocate(10).put((byte) 'h').put((byte) 'E').putLong(directory).array());
    }

    /** The key whose version a history row holds. */
    public static MetaKey versioned(MetaKey history) {
        return MetaKey.of(Arrays.copyOfRange(history.bytes(), 1, history.bytes().length - 9));
    }

    /** The tick from which on the version of a history row was no longer current. */
    public static long end(MetaKey history) {
        return ByteBuffer.wrap(history.bytes()).getLong(history.bytes().length - 8);
    }

    /** What the name referred to when it was removed in this tick; the last of several has the smallest number. */
    public static MetaKey removed(long directory, Name name, long tick, long number) {
        return MetaKey.of(ByteBuffer.allocate(26 + name.bytes().length)
                .put((byte) 'e').putLong(directory).put(name.bytes()).put((byte) 0).putLong(tick).putLong(number)
                .array());
    }

    /** The prefix of all such rows of a name. */
    public static MetaKey removed(long directory, Name name) {
        return MetaKey.of(ByteBuffer.allocate(10 + name.bytes().length).put((byte) 'e').putLong(directory)
                .put(name.bytes()).put((byte) 0).array());
    }

    /** The prefix of all such rows of a directory. */
    public static MetaKey removed(long directory) {
        return of('e', directory);
    }

    public static MetaKey snapshot(String name) {
        return named('n', name);
    }

    /** The first possible key of a snapshot name. */
    public static MetaKey snapshots() {
        return named('n', "0");
    }

    /** Marks the tick as a snapshot. */
    public static MetaKey snapshotTick(long tick) {
        return MetaKey.of(ByteBuffer.allocate(10).put((byte) 'n').put((byte) 0).putLong(tick).array());
    }

    /** Marks the tick as read by the session. */
    public static MetaKey reader(long tick, long session) {
        return MetaKey.of(ByteBuffer.allocate(18).put((byte) 'n').put((byte) 1).putLong(tick).putLong(session).array());
    }

    public static MetaKey readers(long tick) {
        return MetaKey.of(ByteBuffer.allocate(10).put((byte) 'n').put((byte) 1).putLong(tick).array());
    }

    public static MetaKey readers() {
        return MetaKey.of((byte) 'n', (byte) 1);
    }

    /** The session of this {@link #reader} row. */
    public static long readerSession(MetaKey key) {
        return ByteBuffer.wrap(key.bytes()).getLong(10);
    }

    /** The prefix of all keys of one kind that belong to this inode. */
    public static MetaKey rows(char kind, long ino) {
        return of(kind, ino);
    }

    /** The prefix of all keys of one kind. */
    public static MetaKey kind(char kind) {
        return MetaKey.of((byte) kind);
    }

    /** Whether this kind of key has a history. */
    public static boolean isHistoric(MetaKey key) {
        return switch (key.bytes()[0]) {
            case 'A', 'D', 'E', 'L', 'N', 'X' -> true;
            default -> false;
        };
    }

    public static long number(MetaKey key, int index) {
        return ByteBuffer.wrap(key.bytes()).getLong(1 + 8 * index);
    }

    /** The name after the first number of an entry or extended attribute key. */
    public static byte[] name(MetaKey key) {
        return Arrays.copyOfRange(key.bytes(), 9, key.bytes().length);
    }

    private static MetaKey of(char kind, long number) {
        return MetaKey.of(ByteBuffer.allocate(9).put((byte) kind).putLong(number).array());
    }

    private static MetaKey of(char kind, long first, long second) {
        return MetaKey.of(ByteBuffer.allocate(17).put((byte) kind).putLong(first).putLong(second).array());
    }

    private static MetaKey of(char kind, long number, byte[] name) {
        return MetaKey.of(ByteBuffer.allocate(9 + name.length).put((byte) kind).putLong(number).put(name).array());
    }

    private static MetaKey named(char kind, String name) {
        return MetaKey.of((kind + name).getBytes(java.nio.charset.StandardCharsets.US_ASCII));
    }
}
