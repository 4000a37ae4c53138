package volsh.meta;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import volsh.engine.Keys;
import volsh.engine.MetaDamagedException;
import volsh.engine.MetaEngine;
import volsh.engine.MetaKey;
import volsh.fs.Attributes;
import volsh.fs.BlockRow;
import volsh.fs.DirectoryEntry;
import volsh.fs.Extent;
import volsh.fs.FileKind;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.Name;

/** Reads rows of the name space within one transaction. A current row is its tick, followed by its content. */
public class View {
    /** Bytes of the tick before the content of a historic row. */
    public static final int SINCE_BYTES = 8;

    private static final int LANES = 8;
    private static final int FIRST_EXTENTS = 4;
    private static final long DIRECTORY_SIZE = 4096;

    public final MetaEngine.Transaction tx;

    public View(MetaEngine.Transaction tx) {
        this.tx = tx;
    }

    /** Announces that these rows are going to be read: a remote database fetches them together. */
    final void expect(MetaKey... keys) throws IOException {
        tx.expect(List.of(keys));
    }

    /** Announces that these entries, the inodes they name and these rows are going to be read. */
    final void expectNamed(List<MetaKey> entries, List<MetaKey> others) throws IOException {
        tx.expect(others, new MetaEngine.Leads(entries, 'N', SINCE_BYTES));
    }

    /** The content of a historic row, or null. */
    public final @Nullable ByteBuffer content(MetaKey key) throws IOException {
        byte[] row = tx.get(key);
        return row == null ? null : content(row);
    }

    public static ByteBuffer content(byte[] row) {
        return ByteBuffer.wrap(row, SINCE_BYTES, row.length - SINCE_BYTES);
    }

    public static byte[] bytes(ByteBuffer content) {
        return Arrays.copyOfRange(content.array(), content.arrayOffset() + content.position(),
                content.arrayOffset() + content.limit());
    }

    /** @throws FsException NO_ENTRY if there is no such inode, or it is being freed */
    public final NodeRow node(long ino) throws IOException {
        var node = findNode(ino);
        if (node == null || node.isHalfGone()) {
            throw new FsException(FsError.NO_ENTRY);
        }
        return node;
    }

    /** The inode's row, or null. */
    public final @Nullable NodeRow findNode(long ino) throws IOException {
        var key = Keys.node(ino);
        byte[] row = tx.get(key);
        return row == null ? null : NodeRow.read(key, row);
    }

    /** The inode of an entry. @throws MetaDamagedException if it is missing: every entry has one */
    final NodeRow named(DirectoryEntry entry) throws IOException {
        var node = findNode(entry.ino());
        if (node == null) {
            throw MetaDamagedException.of(Keys.node(entry.ino()),
                    "is missing, but the entry '%s' refers to it".formatted(entry.name()), null);
        }
        return node;
    }

    /** Parses a row; a row that cannot be parsed is reported as damaged. */
    static <T> T parsed(MetaKey key, byte[] row, Function<ByteBuffer, T> parser) throws MetaDamagedException {
        try {
            return parser.apply(content(row));
        } catch (RuntimeException nonsense) {
            throw MetaDamagedException.of(key, "cannot be read", nonsense);
        }
    }

    /** Parses an entry row. */
    public static DirectoryEntry entry(MetaEngine.Entry row) throws MetaDamagedException {
        return entry(row.key(), row.value());
    }

    private static DirectoryEntry entry(MetaKey key, byte[] row) throws MetaDamagedException {
        Name name;
        try {
            name = Name.of(Keys.name(key));
        } catch (FsException impossible) {
            throw MetaDamagedException.of(key, "has an invalid file name", impossible);
        }
        return parsed(key, row, content -> entry(name, content));
    }

    /** @throws FsException NO_ENTRY or NOT_DIRECTORY */
    public final NodeRow directory(long ino) throws IOException {
        var node = node(ino);
        if (!node.isDirectory()) {
            throw new FsException(FsError.NOT_DIRECTORY);
        }
        return node;
    }

    /** @throws FsException NO_ENTRY, IS_DIRECTORY, or INVALID if it is not a regular file */
    final NodeRow regular(long ino) throws IOException {
        var node = node(ino);
        return switch (node.kind()) {
            case REGULAR -> node;
            case DIRECTORY -> throw new FsException(FsError.IS_DIRECTORY);
            default -> throw new FsException(FsError.INVALID, "not a regular file");
        };
    }

    /** The entry, or null. */
    public final @Nullable DirectoryEntry find(long directory, Name name) throws IOException {
        var key = Keys.entry(directory, name);
        byte[] row = tx.get(key);
        return row == null ? null : entry(key, row);
    }

    public static DirectoryEntry entry(Name name, ByteBuffer content) {
        return new DirectoryEntry(name, content.getLong(), FileKind.of(content.get()));
    }

    /** The row that remembers what a removed name referred to. */
    public static byte[] removedRow(long since, long ino, FileKind kind, NodeRow node) {
        byte[] row = node.toBytes();
        return ByteBuffer.allocate(17 + row.length).putLong(since).putLong(ino).put((byte) kind.code()).put(row)
                .array();
    }

    public static byte[] entryRow(long ino, FileKind kind) {
        return ByteBuffer.allocate(9).putLong(ino).put((byte) kind.code()).array();
    }

    /** @throws FsException NO_ENTRY */
    final DirectoryEntry entry(long directory, Name name) throws IOException {
        var entry = find(directory, name);
        if (entry == null) {
            throw new FsException(FsError.NO_ENTRY);
        }
        return entry;
    }

    /** Checks that these paths exist, and fetches these rows together with them. @throws WayLostException */
    final void require(List<Way> ways, MetaKey... rows) throws IOException {
        if (ways.isEmpty()) {
            return;
        }
        tx.expect(withWays(ways, rows));
        var lost = new ArrayList<Way>();
        for (var way : ways) {
            var entry = find(way.directory(), way.name());
            if (entry == null || entry.ino() != way.ino()) {
                lost.add(way);
            }
        }
        if (!lost.isEmpty()) {
            throw new WayLostException(lost);
        }
    }

    /** These rows and those of the paths. */
    static List<MetaKey> withWays(List<Way> ways, MetaKey... rows) {
        var keys = new ArrayList<>(List.of(rows));
        ways.forEach(way -> keys.add(Keys.entry(way.directory(), way.name())));
        return keys;
    }

    final Attributes attributes(long ino) throws IOException {
        return attributes(ino, node(ino));
    }

    /** Attributes as stat shows them: a directory's links and times come from its row and its counters together. */
    public final Attributes attributes(long ino, NodeRow node) throws IOException {
        return attributes(ino, node, node.isDirectory() ? counters(ino) : DirectoryCounters.NONE);
    }

    /** Like {@link #attributes}, for what is known to be a directory: its row and its counters are fetched together. */
    final Attributes directoryAttributes(DirectoryEntry entry) throws IOException {
        long ino = entry.ino();
        var keys = new ArrayList<>(List.of(Keys.node(ino)));
        for (int lane = 0; lane < LANES; lane++) {
            keys.add(Keys.directoryCounters(ino, lane));
        }
        tx.expect(keys);
        return attributes(ino, named(entry), counters(List.of(ino)).getOrDefault(ino, DirectoryCounters.NONE));
    }

    static Attributes attributes(long ino, NodeRow node, DirectoryCounters counters) {
        if (!node.isDirectory()) {
            return node.attributes(ino);
        }
        return new Attributes(
                ino, node.kind(), node.mode(), node.uid(), node.gid(), node.links() + (int) counters.directories(),
                DIRECTORY_SIZE, DIRECTORY_SIZE, node.atime(), mtime(node, counters),
                Math.max(node.ctime(), counters.mtime()), node.device(), node.version() + counters.changes());
    }

    /** When entries were last added or removed; otherwise the time in the row, which may have been set explicitly. */
    static long mtime(NodeRow directory, DirectoryCounters counters) {
        return counters.mtime() == 0 ? directory.mtime() : counters.mtime();
    }

    public final DirectoryCounters counters(long directory) throws IOException {
        var total = DirectoryCounters.NONE;
        var prefix = Keys.directoryCounters(directory);
        for (var row : tx.scan(prefix, prefix.afterPrefix(), LANES)) {
            total = total.plus(counters(row.key(), row.value()));
        }
        return total;
    }

    /** Counters of many directories: directories are few among many files, so each is read by key. */
    final Map<Long, DirectoryCounters> counters(List<Long> directories) throws IOException {
        var keys = new ArrayList<MetaKey>(directories.size() * LANES);
        for (long directory : directories) {
            for (int lane = 0; lane < LANES; lane++) {
                keys.add(Keys.directoryCounters(directory, lane));
            }
        }
        var totals = new HashMap<Long, DirectoryCounters>();
        for (var row : tx.getAll(keys).entrySet()) {
            totals.merge(Keys.number(row.getKey(), 0), counters(row.getKey(), row.getValue()), DirectoryCounters::plus);
        }
        return totals;
    }

    private static DirectoryCounters counters(MetaKey key, byte[] row) throws MetaDamagedException {
        try {
            return DirectoryCounters.parse(row);
        } catch (RuntimeException nonsense) {
            throw MetaDamagedException.of(key, "cannot be read", nonsense);
        }
    }

    static int lane(long session) {
        return (int) (session & (LANES - 1));
    }

    final boolean isEmpty(long directory) throws IOException {
        var prefix = Keys.entries(directory);
        return tx.scan(prefix, prefix.afterPrefix(), 1).isEmpty();
    }

    /** At most {@code limit} extents that end after {@code from} and start before {@code to}. */
    public final List<Extent> extents(long ino, long from, long to, int limit) throws IOException {
        var found = new ArrayList<Extent>();
        var next = Keys.extent(ino, from + 1);
        var end = Keys.extents(ino).afterPrefix();
        // usually there are few, and reading rows beyond the range costs
        for (int page = FIRST_EXTENTS; found.size() < limit; page *= 4) {
            int wanted = Math.min(page, limit - found.size());
            var rows = tx.scan(next, end, wanted);
            for (var row : rows) {
                var extent = extent(row);
                if (extent.start() >= to) {
                    return found;
                }
                found.add(extent);
            }
            if (rows.size() < wanted) {
                return found;
            }
            next = rows.getLast().key().next();
        }
        return found;
    }

    public static Extent extent(MetaEngine.Entry row) throws MetaDamagedException {
        var extent = parsed(row.key(), row.value(), content -> {
            long length = content.getLong();
            return new Extent(Keys.number(row.key(), 1) - length, length, content.getLong(), content.getLong());
        });
        if (extent.length() <= 0 || extent.start() < 0 || extent.end() > Files.SIZE_MAX || extent.offset() < 0) {
            throw MetaDamagedException.of(row.key(), "has impossible values: bytes %d to %d, at %d of its block"
                    .formatted(extent.start(), extent.end(), extent.offset()), null);
        }
        return extent;
    }

    public static byte[] extentRow(Extent extent) {
        return ByteBuffer.allocate(24).putLong(extent.length()).putLong(extent.block()).putLong(extent.offset())
                .array();
    }

    /** @throws MetaDamagedException if the metadata names a block it has no row for */
    public final BlockRow block(long id) throws IOException {
        var key = Keys.block(id);
        byte[] row = tx.get(key);
        if (row == null) {
            throw MetaDamagedException.of(key, "is missing, but an extent refers to the block", null);
        }
        try {
            return parseBlock(id, row);
        } catch (RuntimeException nonsense) {
            throw MetaDamagedException.of(key, "cannot be read", nonsense);
        }
    }

    /** The bytes of a small file, whose inode says that they are inline. */
    final byte[] inline(long ino) throws IOException {
        var key = Keys.inline(ino);
        byte[] row = tx.get(key);
        if (row == null) {
            throw MetaDamagedException.of(key, "is missing", null);
        }
        return parsed(key, row, View::bytes);
    }

    public static BlockRow parseBlock(long id, byte[] row) {
        var in = ByteBuffer.wrap(row);
        int format = in.get();
        if (format != 1) {
            throw new IllegalStateException("unsupported block row format " + format + ": this volsh supports 1");
        }
        long rawSize = in.getLong();
        long storedSize = in.getLong();
        int layout = in.getInt();
        long owner = in.getLong();
        byte[] index = new byte[in.remaining()];
        in.get(index);
        return new BlockRow(id, rawSize, storedSize, layout, owner, index);
    }

    public static byte[] blockRow(BlockRow block) {
        return ByteBuffer.allocate(29 + block.index().length)
                .put((byte) 1)
                .putLong(block.rawSize())
                .putLong(block.storedSize())
                .putInt(block.layout())
                .putLong(block.owner())
                .put(block.index())
                .array();
    }
}
