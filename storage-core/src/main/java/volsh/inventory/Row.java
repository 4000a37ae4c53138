package volsh.inventory;

import java.io.EOFException;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.UUID;
import volsh.engine.Delta;
import volsh.engine.Keys;
import volsh.engine.MetaEngine;
import volsh.engine.MetaKey;
import volsh.fs.BlockRow;
import volsh.fs.Digest;
import volsh.fs.FileKind;
import volsh.fs.ImportedBlock;
import volsh.meta.Files;
import volsh.meta.LockRow;
import volsh.meta.LockWaits;
import volsh.meta.NodeRow;
import volsh.meta.Retained;
import volsh.meta.Session;
import volsh.meta.Snapshot;
import volsh.meta.Ticks;
import volsh.meta.View;
import volsh.quota.Account;
import volsh.quota.QuotaKeys;
import volsh.quota.QuotaRule;

/**
 * A parsed row of the metadata, for code that reads all rows: checks, dumps, statistics. Nothing is assumed to be
 * valid: any bytes become some row, {@link Unreadable} if need be, and {@link #entry()} returns the same bytes. Numbers
 * are as stored, so an impossible extent is still an extent.
 */
public sealed interface Row {
    /** The row as it is stored. */
    MetaEngine.Entry entry();

    /** Attributes of an inode. */
    record Node(long ino, long since, NodeRow row) implements Row {
        @Override
        public MetaEngine.Entry entry() {
            return historic(Keys.node(ino), since, row.toBytes());
        }

        public Node with(NodeRow other) {
            return new Node(ino, since, other);
        }
    }

    /** A name in a directory; any bytes, even invalid ones. */
    record Entry(long directory, byte[] name, long since, long ino, FileKind kind) implements Row {
        @Override
        public MetaEngine.Entry entry() {
            return historic(MetaKey.of(ByteBuffer.allocate(9 + name.length).put((byte) 'E').putLong(directory).put(name)
                    .array()), since, View.entryRow(ino, kind));
        }
    }

    /** Bytes {@code [end - length, end)} of a file. */
    record Run(long ino, long end, long since, long length, long block, long offset) implements Row {
        @Override
        public MetaEngine.Entry entry() {
            return historic(Keys.extent(ino, end), since,
                    ByteBuffer.allocate(24).putLong(length).putLong(block).putLong(offset).array());
        }

        public long start() {
            return end - length;
        }

        /** Whether a file could have it. */
        public boolean isPossible() {
            return length > 0 && end > 0 && length <= end && end <= Files.SIZE_MAX && offset >= 0
                    && offset + length > 0;
        }
    }

    /** The bytes of a small file. */
    record Inline(long ino, long since, byte[] bytes) implements Row {
        @Override
        public MetaEngine.Entry entry() {
            return historic(Keys.inline(ino), since, bytes);
        }
    }

    /** The target of a symbolic link. */
    record Target(long ino, long since, byte[] bytes) implements Row {
        @Override
        public MetaEngine.Entry entry() {
            return historic(Keys.target(ino), since, bytes);
        }
    }

    /** An extended attribute. */
    record Attribute(long ino, byte[] name, long since, byte[] value) implements Row {
        @Override
        public MetaEngine.Entry entry() {
            return historic(Keys.attribute(ino, name), since, value);
        }
    }

    /** A version of a name space row that is no longer current, visible in {@code [since of it, end)}. */
    record Version(Row row, long since, long end) implements Row {
        @Override
        public MetaEngine.Entry entry() {
            var current = row.entry();
            return new MetaEngine.Entry(Keys.history(current.key(), end), current.value());
        }
    }

    /** What a removed name referred to, if name or inode had changed in the tick of the removal. */
    record Removed(long directory, byte[] name, long tick, long number, long since, long ino, FileKind kind,
            NodeRow node) implements Row {
        @Override
        public MetaEngine.Entry entry() {
            return new MetaEngine.Entry(
                    MetaKey.of(ByteBuffer.allocate(26 + name.length)
                            .put((byte) 'e').putLong(directory).put(name).put((byte) 0).putLong(tick).putLong(number)
                            .array()), View.removedRow(since, ino, kind, node));
        }
    }

    /** A block, stored or imported. */
    record Block(BlockRow row) implements Row {
        @Override
        public MetaEngine.Entry entry() {
            return new MetaEngine.Entry(Keys.block(row.id()), View.blockRow(row));
        }
    }

    /** How many rows name a block. */
    record Uses(long block, long count) implements Row {
        @Override
        public MetaEngine.Entry entry() {
            return new MetaEngine.Entry(Keys.uses(block), number(count));
        }
    }

    /** A block that is unreferenced since the tick. */
    record Dead(long tick, long block) implements Row {
        @Override
        public MetaEngine.Entry entry() {
            return new MetaEngine.Entry(Keys.dead(tick, block), new byte[0]);
        }
    }

    /** A file without a name since the tick. */
    record Orphan(long tick, long ino) implements Row {
        @Override
        public MetaEngine.Entry entry() {
            return new MetaEngine.Entry(Keys.orphan(tick, ino), new byte[0]);
        }
    }

    /** A session. */
    record User(Session session) implements Row {
        @Override
        public MetaEngine.Entry entry() {
            return new MetaEngine.Entry(Keys.session(session.id()), session.toBytes());
        }
    }

    /** A lane's counters of a directory: entries, directories, changes; and when entries were last added or removed. */
    record DirectoryCount(long directory, int lane, Delta counts) implements Row {
        @Override
        public MetaEngine.Entry entry() {
            return new MetaEngine.Entry(Keys.directoryCounters(directory, lane), counts.row());
        }

        public long entries() {
            return counts.sums()[0];
        }

        public long directories() {
            return counts.sums()[1];
        }
    }

    /** A lane's counters of the volume: bytes, inodes, stored bytes. */
    record UsageCount(int lane, Delta counts) implements Row {
        @Override
        public MetaEngine.Entry entry() {
            return new MetaEngine.Entry(Keys.usage(lane), counts.row());
        }
    }

    /** A lane's counter of imported bytes. */
    record ImportedCount(int lane, Delta counts) implements Row {
        @Override
        public MetaEngine.Entry entry() {
            return new MetaEngine.Entry(Keys.imported(lane), counts.row());
        }
    }

    /** A lane's counters of directories: all, and roots. */
    record DirectoriesCount(int lane, Delta counts) implements Row {
        @Override
        public MetaEngine.Entry entry() {
            return new MetaEngine.Entry(Keys.directories(lane), counts.row());
        }
    }

    /** A lane's counters of a project, a user or a group: bytes, inodes. */
    record AccountCount(Account account, int lane, Delta counts) implements Row {
        @Override
        public MetaEngine.Entry entry() {
            return new MetaEngine.Entry(QuotaKeys.usage(account, lane), counts.row());
        }
    }

    /** Inodes with a smaller number than this are counted for their owners. */
    record OwnersCounted(long below) implements Row {
        @Override
        public MetaEngine.Entry entry() {
            return new MetaEngine.Entry(QuotaKeys.COUNTED, number(below));
        }
    }

    /** A quota. */
    record Quota(QuotaRule rule) implements Row {
        @Override
        public MetaEngine.Entry entry() {
            return new MetaEngine.Entry(QuotaKeys.rule(rule.account()), rule.toBytes());
        }
    }

    /** The tick. */
    record Tick(long tick) implements Row {
        @Override
        public MetaEngine.Entry entry() {
            return new MetaEngine.Entry(Keys.TICK, number(tick));
        }
    }

    /** Which past ticks stay readable. */
    record Retention(long window, long[] pins) implements Row {
        @Override
        public MetaEngine.Entry entry() {
            return new MetaEngine.Entry(Keys.RETAINED, new Retained(window, pins).toBytes());
        }
    }

    /** The next unused number of {@code inode}, {@code block} or {@code session}. */
    record NextNumber(String of, long next) implements Row {
        @Override
        public MetaEngine.Entry entry() {
            return new MetaEngine.Entry(MetaKey.of(("c" + of).getBytes(StandardCharsets.ISO_8859_1)), number(next));
        }
    }

    /** A setting of the volume. */
    record Setting(String name, byte[] value) implements Row {
        @Override
        public MetaEngine.Entry entry() {
            return new MetaEngine.Entry(MetaKey.of(("v" + name).getBytes(StandardCharsets.ISO_8859_1)), value);
        }
    }

    /** A journal: blocks may wait on a host. */
    record Waiting(JournalRow row) implements Row {
        @Override
        public MetaEngine.Entry entry() {
            return new MetaEngine.Entry(Keys.journal(row.id()), row.toBytes());
        }
    }

    /** An object of many blocks; -1 of them while it is being stored. */
    record Pack(long id, UUID journal, long blocks) implements Row {
        @Override
        public MetaEngine.Entry entry() {
            return new MetaEngine.Entry(Keys.pack(id), ByteBuffer.allocate(24)
                    .putLong(journal.getMostSignificantBits()).putLong(journal.getLeastSignificantBits())
                    .putLong(blocks).array());
        }
    }

    /** The place of a block in a pack. */
    record Place(long block, long pack, long offset, int length) implements Row {
        @Override
        public MetaEngine.Entry entry() {
            return new MetaEngine.Entry(Keys.place(block), new Packs.Place(pack, offset, length).toBytes());
        }
    }

    /** A row of a known kind that is reserved or handled elsewhere, and not parsed here. */
    record Other(MetaEngine.Entry entry) implements Row {}

    /** The number of a layout or an arrangement. */
    record Layout(int number, String text) implements Row {
        @Override
        public MetaEngine.Entry entry() {
            return new MetaEngine.Entry(Keys.layout(number), text.getBytes(StandardCharsets.UTF_8));
        }
    }

    /** A store lacks its part of a block. */
    record Missing(int store, long block) implements Row {
        @Override
        public MetaEngine.Entry entry() {
            return new MetaEngine.Entry(Keys.missing(store, block), new byte[0]);
        }
    }

    /** A row of a kind unknown to this program; a newer one may know it. */
    record Unknown(MetaEngine.Entry entry) implements Row {}

    /** A malformed row. */
    record Unreadable(MetaEngine.Entry entry, String why) implements Row {}

    /** Parses a row. Never fails. */
    static Row of(MetaEngine.Entry entry) {
        if (entry.isDamaged()) {
            return new Unreadable(entry, "it does not match its checksum");
        }
        try {
            var row = parse(entry.key(), entry.value());
            var same = row.entry();
            return same.key().equals(entry.key()) && Arrays.equals(same.value(), entry.value()) ? row
                    : new Unreadable(entry, "it is too long");
        } catch (BufferUnderflowException | IndexOutOfBoundsException | EOFException end) {
            return new Unreadable(entry, "it is too short");
        } catch (RuntimeException | IOException nonsense) {
            return new Unreadable(entry,
                    nonsense.getMessage() == null ? "it has impossible values" : nonsense.getMessage());
        }
    }

    private static Row parse(MetaKey key, byte[] value) throws IOException {
        var entry = new MetaEngine.Entry(key, value);
        return switch (key.bytes()[0]) {
            case 'A', 'D', 'E', 'L', 'N', 'X' -> named(key, value);
            case 'h' -> version(key, value);
            case 'e' -> removed(key, value);
            case 'b', 'x' -> block(Keys.number(key, 0), value);
            case 'u' -> new Uses(Keys.number(key, 0), number(value));
            case 'd' -> new Dead(Keys.number(key, 0), Keys.number(key, 1));
            case 'o' -> new Orphan(Keys.number(key, 0), Keys.number(key, 1));
            case 's' -> new User(Session.parse(Keys.number(key, 0), value));
            case 'S' -> new DirectoryCount(Keys.number(key, 0), key.bytes()[9], shaped(value, 3, 1));
            case 'U' -> new UsageCount(key.bytes()[1], shaped(value, 3, 0));
            case 't' -> new Tick(Ticks.possible(number(value)));
            case 'r' -> retention(value);
            case 'c' -> new NextNumber(text(key), number(value));
            case 'v' -> new Setting(text(key), value);
            case 'p' -> waiting(key, value);
            case 'P' -> pack(key, value);
            case 'l' -> place(key, value);
            case 'q' -> quota(entry);
            case 'z' -> new Layout(Math.toIntExact(Keys.number(key, 0)), new String(value, StandardCharsets.UTF_8));
            case 'm' -> new Missing(Math.toIntExact(Keys.number(key, 0)), Keys.number(key, 1));
            case 'f' -> locks(entry);
            case 'i' -> digest(entry);
            case 'n' -> moment(entry);
            case 'y' -> switch (key.bytes()[1]) {
                case 'u' -> new ImportedCount(key.bytes()[2], shaped(value, 1, 0));
                case 'd' -> new DirectoriesCount(key.bytes()[2], shaped(value, 2, 0));
                default -> same(entry, GcTurns.State.parse(value).toBytes());
            };
            case 'g', 'w', 'k' -> new Other(entry);
            default -> new Unknown(entry);
        };
    }

    private static Row block(long id, byte[] value) {
        var row = View.parseBlock(id, value);
        if (ImportedBlock.is(id)) {
            var _ = ImportedBlock.of(row);   // it must be possible
        }
        return new Block(row);
    }

    private static Row named(MetaKey key, byte[] value) {
        long since = ByteBuffer.wrap(value).getLong();
        long number = Keys.number(key, 0);
        var content = View.content(value);
        return switch (key.bytes()[0]) {
            case 'N' -> new Node(number, since, NodeRow.parse(content));
            case 'E' -> new Entry(number, Keys.name(key), since, content.getLong(), FileKind.of(content.get()));
            case 'X' -> new Run(number, Keys.number(key, 1), since, content.getLong(), content.getLong(),
                    content.getLong());
            case 'D' -> new Inline(number, since, View.bytes(content));
            case 'L' -> new Target(number, since, View.bytes(content));
            default -> new Attribute(number, Keys.name(key), since, View.bytes(content));
        };
    }

    private static Row version(MetaKey key, byte[] value) {
        byte[] bytes = key.bytes();
        var inner = MetaKey.of(Arrays.copyOfRange(bytes, 1, bytes.length - 9));
        if (!Keys.isHistoric(inner)) {
            throw new IllegalArgumentException("it is a version of a row that has no history");
        }
        return new Version(named(inner, value), ByteBuffer.wrap(value).getLong(),
                ByteBuffer.wrap(bytes).getLong(bytes.length - 8));
    }

    private static Row removed(MetaKey key, byte[] value) {
        byte[] bytes = key.bytes();
        var numbers = ByteBuffer.wrap(bytes);
        var content = ByteBuffer.wrap(value);
        return new Removed(numbers.getLong(1), Arrays.copyOfRange(bytes, 9, bytes.length - 17),
                numbers.getLong(bytes.length - 16), numbers.getLong(bytes.length - 8), content.getLong(),
                content.getLong(), FileKind.of(content.get()), NodeRow.parse(content));
    }

    private static Row quota(MetaEngine.Entry entry) {
        byte[] key = entry.key().bytes();
        return switch (key[1]) {
            case 'r' -> new Quota(QuotaRule.parse(entry.key(), entry.value()));
            case 'u' -> new AccountCount(QuotaKeys.account(entry.key()), key[2 + Account.BYTES],
                    shaped(entry.value(), 2, 0));
            case 'c' -> new OwnersCounted(number(entry.value()));
            case 'v' -> same(entry, number(number(entry.value())));
            case 'p' -> {
                QuotaKeys.session(entry.key());
                QuotaKeys.account(entry.key());
                yield same(entry, shaped(entry.value(), 2, 0).row());
            }
            default -> new Other(entry);
        };
    }

    /** A known row with this expected value. */
    private static Row same(MetaEngine.Entry entry, byte[] value) {
        if (!Arrays.equals(entry.value(), value)) {
            throw new IllegalArgumentException("it is too long");
        }
        return new Other(entry);
    }

    private static Row locks(MetaEngine.Entry entry) throws IOException {
        if (!Keys.isLocks(entry.key())) {
            Keys.lockWaitsSession(entry.key());
            LockWaits.require(entry.value());
            return new Other(entry);
        }
        return same(entry, LockRow.parse(Keys.lockKind(entry.key()), entry.value()).toBytes());
    }

    private static Row digest(MetaEngine.Entry entry) {
        boolean ofBlock = entry.key().bytes().length == 1 + Long.BYTES;
        if (entry.value().length != (ofBlock ? Digest.BYTES : Long.BYTES)) {
            throw new IllegalArgumentException("it has the wrong length for a digest row");
        }
        return new Other(entry);
    }

    /** A snapshot, a pinned tick or a read tick. */
    private static Row moment(MetaEngine.Entry entry) throws IOException {
        byte[] key = entry.key().bytes();
        return switch (key[1]) {
            case 0 -> sized(entry, 1 + 1 + Long.BYTES);
            case 1 -> sized(entry, 1 + 1 + 2 * Long.BYTES);
            default -> same(entry, Snapshot.parse(text(entry.key()), entry.value()).toBytes());
        };
    }

    private static Row sized(MetaEngine.Entry entry, int keyBytes) {
        if (entry.key().bytes().length != keyBytes) {
            throw new IllegalArgumentException("its key has the wrong length");
        }
        return same(entry, new byte[0]);
    }

    private static Delta shaped(byte[] value, int sums, int maxima) {
        var delta = Delta.parse(value);
        if (delta.sums().length != sums || delta.maxima().length != maxima) {
            throw new IllegalArgumentException("it is a counter of another shape");
        }
        return delta;
    }

    private static Row retention(byte[] value) {
        var retained = Retained.parse(value);
        if (!Retained.isWindow(retained.window())) {
            throw new IllegalArgumentException("history cannot be kept for %d seconds".formatted(retained.window()));
        }
        return new Retention(retained.window(), retained.pins());
    }

    private static Row waiting(MetaKey key, byte[] value) throws IOException {
        var id = ByteBuffer.wrap(key.bytes(), 1, 16);
        return new Waiting(JournalRow.parse(new UUID(id.getLong(), id.getLong()), value));
    }

    private static Row pack(MetaKey key, byte[] value) {
        var bytes = ByteBuffer.wrap(value);
        return new Pack(Keys.number(key, 0), new UUID(bytes.getLong(), bytes.getLong()), bytes.getLong());
    }

    private static Row place(MetaKey key, byte[] value) {
        var place = Packs.Place.parse(value);
        if (place.offset() < 0 || place.length() < 0) {
            throw new IllegalArgumentException("%d bytes at %d of a pack are impossible"
                    .formatted(place.length(), place.offset()));
        }
        return new Place(Keys.number(key, 0), place.pack(), place.offset(), place.length());
    }

    private static long number(byte[] value) {
        return ByteBuffer.wrap(value).getLong();
    }

    private static byte[] number(long value) {
        return ByteBuffer.allocate(Long.BYTES).putLong(value).array();
    }

    private static String text(MetaKey key) {
        return new String(key.bytes(), 1, key.bytes().length - 1, StandardCharsets.ISO_8859_1);
    }

    private static MetaEngine.Entry historic(MetaKey key, long since, byte[] content) {
        return new MetaEngine.Entry(key,
                ByteBuffer.allocate(View.SINCE_BYTES + content.length).putLong(since).put(content).array());
    }

    /** The prefix of all keys of one kind. */
    static MetaKey kind(char kind) {
        return Keys.kind(kind);
    }

    /** The first key of one kind that belongs to this inode, directory, block or pack. */
    static MetaKey from(char kind, long number) {
        return MetaKey.of(ByteBuffer.allocate(9).put((byte) kind).putLong(number).array());
    }
}
