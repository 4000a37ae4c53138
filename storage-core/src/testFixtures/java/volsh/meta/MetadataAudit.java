package volsh.meta;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import volsh.block.BlockStore;
import volsh.engine.Delta;
import volsh.engine.Keys;
import volsh.engine.MetaDamagedException;
import volsh.engine.MetaEngine;
import volsh.engine.MetaKey;
import volsh.fs.BlockRow;
import volsh.fs.Digest;
import volsh.fs.DirectoryEntry;
import volsh.fs.Extent;
import volsh.fs.FileKind;
import volsh.fs.FsException;
import volsh.fs.ImportedBlock;
import volsh.fs.Name;
import volsh.inventory.Packs;
import volsh.inventory.VolumeUsage;
import volsh.meta.NodeRow.Storage;

/**
 * Checks all rows of a volume against each other, and against the objects of its store: what must be true between any
 * two operations, whatever happened before. Reads only. Every problem is one line.
 */
public final class MetadataAudit {
    private static final int PAGE = 500;

    private final NavigableMap<MetaKey, byte[]> rows;
    private final List<String> problems = new ArrayList<>();
    private final Map<Long, NodeRow> nodes = new TreeMap<>();
    private final Map<Long, BlockRow> blocks = new TreeMap<>();
    private final Map<Long, Long> uses = new HashMap<>();
    private final Map<Long, Long> dead = new HashMap<>();
    private final Map<Long, Long> references = new HashMap<>();
    private final List<Session> sessions = new ArrayList<>();

    private MetadataAudit(NavigableMap<MetaKey, byte[]> rows) {
        this.rows = rows;
    }

    /** Audits the rows as they are now; nobody should change them meanwhile. */
    public static MetadataAudit of(MetaEngine engine) throws IOException {
        var rows = new TreeMap<MetaKey, byte[]>();
        var from = MetaKey.of((byte) 0);
        var end = MetaKey.of((byte) 0xff);
        while (true) {
            var start = from;
            var page = engine.read(tx -> tx.scan(start, end, PAGE));
            page.forEach(row -> rows.put(row.key(), row.value()));
            if (page.size() < PAGE) {
                break;
            }
            from = page.getLast().key().next();
        }
        var audit = new MetadataAudit(rows);
        audit.run();
        return audit;
    }

    public List<String> problems() {
        return List.copyOf(problems);
    }

    /** Unlinked files that still wait. */
    public int orphans() {
        return below('o').size();
    }

    /** Blocks that wait to be deleted. */
    public int dead() {
        return dead.size();
    }

    /** Versions kept in history, and what names led to that went within their tick. */
    public int historic() {
        return below('h').size() + below('e').size();
    }

    private NavigableMap<MetaKey, byte[]> below(char kind) {
        return rows.subMap(Keys.kind(kind), true, Keys.kind(kind).afterPrefix(), false);
    }

    private NavigableMap<MetaKey, byte[]> below(MetaKey prefix) {
        return rows.subMap(prefix, true, prefix.afterPrefix(), false);
    }

    private void expect(boolean right, String what, Object... values) {
        if (!right) {
            problems.add(what.formatted(values));
        }
    }

    private void run() throws IOException {
        below('N').forEach((key, row) -> nodes.put(Keys.number(key, 0), NodeRow.parse(View.content(row))));
        below('b').forEach((key, row) -> blocks.put(Keys.number(key, 0), View.parseBlock(Keys.number(key, 0), row)));
        below('x').forEach((key, row) -> blocks.put(Keys.number(key, 0), View.parseBlock(Keys.number(key, 0), row)));
        below('u').forEach((key, row) -> uses.put(Keys.number(key, 0), ByteBuffer.wrap(row).getLong()));
        below('d').forEach((key, row) -> expect(dead.put(Keys.number(key, 1), Keys.number(key, 0)) == null,
                "block %x is dead twice", Keys.number(key, 1)));
        for (var row : below('s').entrySet()) {
            sessions.add(Session.parse(Keys.number(row.getKey(), 0), row.getValue()));
        }
        expect(nodes.containsKey(Namespace.ROOT), "there is no root");
        names();
        directories();
        nodes.forEach(this::bytes);
        strays();
        history();
        references();
        digests();
        packs();
        usage();
    }

    // ---- names

    private void names() throws FsException {
        var links = new HashMap<Long, Integer>();
        for (var row : below('E').entrySet()) {
            long directory = Keys.number(row.getKey(), 0);
            var entry = View.entry(Name.of(Keys.name(row.getKey())), View.content(row.getValue()));
            links.merge(entry.ino(), 1, Integer::sum);
            checkEntry(directory, entry);
        }
        nodes.forEach((ino, node) -> checkLinks(ino, node, links.getOrDefault(ino, 0)));
        for (var orphan : below('o').keySet()) {
            var node = nodes.get(Keys.number(orphan, 1));
            expect(node != null && (node.links() == 0 || node.isDirectory()) && node.parent() == Keys.number(orphan, 0),
                    "orphan row %s is no orphan", orphan);
        }
    }

    private void checkEntry(long directory, DirectoryEntry entry) {
        var parent = nodes.get(directory);
        var node = nodes.get(entry.ino());
        expect(parent != null && parent.isDirectory(), "entry '%s' in %d, which is no directory", entry.name(),
                directory);
        expect(node != null, "entry '%s' in %d names inode %d, which is not there", entry.name(), directory,
                entry.ino());
        if (node != null) {
            expect(node.kind() == entry.kind(), "entry '%s' says %s, its inode %s", entry.name(), entry.kind(),
                    node.kind());
            expect(!node.isDirectory() || node.parent() == directory, "directory %d lies in %d but says %d",
                    entry.ino(), directory, node.parent());
        }
    }

    private void checkLinks(long ino, NodeRow node, int names) {
        if (node.isDirectory()) {
            expect(names == (ino == Namespace.ROOT || isOrphan(ino) ? 0 : 1), "directory %d has %d names", ino, names);
            expect(node.links() == 2, "directory %d has %d links in its row", ino, node.links());
            return;
        }
        expect(names == node.links(), "inode %d has %d names and %d links", ino, names, node.links());
        expect(node.links() > 0 || rows.containsKey(Keys.orphan(node.parent(), ino)),
                "inode %d has no names and is no orphan", ino);
    }

    /** The root of a tree out of reach: one that is being made, or that was replaced. */
    private boolean isOrphan(long directory) {
        var node = nodes.get(directory);
        return node != null && rows.containsKey(Keys.orphan(node.parent(), directory));
    }

    private void directories() {
        nodes.forEach((ino, node) -> {
            if (node.isDirectory()) {
                checkCounters(ino);
                checkReachable(ino);
            }
        });
        for (var key : below('S').keySet()) {
            var node = nodes.get(Keys.number(key, 0));
            expect(node != null && node.isDirectory(), "counters of %d, which is no directory", Keys.number(key, 0));
        }
    }

    private void checkCounters(long ino) {
        var total = DirectoryCounters.NONE;
        for (byte[] row : below(Keys.directoryCounters(ino)).values()) {
            total = total.plus(DirectoryCounters.parse(row));
        }
        var entries = below(Keys.entries(ino));
        long directories = entries.values().stream()
                .filter(row -> View.content(row).get(8 + View.SINCE_BYTES) == FileKind.DIRECTORY.code()).count();
        expect(total.entries() == entries.size(), "directory %d counts %d entries and has %d", ino, total.entries(),
                entries.size());
        expect(total.directories() == directories, "directory %d counts %d directories and has %d", ino,
                total.directories(), directories);
    }

    private void checkReachable(long ino) {
        var seen = new HashSet<Long>();
        for (long at = ino; at != Namespace.ROOT && !isOrphan(at); at = nodes.get(at).parent()) {
            if (!seen.add(at) || !nodes.containsKey(at)) {
                expect(false, "directory %d cannot be reached from the root", ino);
                return;
            }
        }
    }

    // ---- bytes

    private void bytes(long ino, NodeRow node) {
        byte[] inline = rows.get(Keys.inline(ino));
        byte[] target = rows.get(Keys.target(ino));
        expect((inline != null) == (node.storage() == Storage.INLINE), "inode %d is kept %s; inline row: %s", ino,
                node.storage(), inline != null);
        expect((target != null) == (node.kind() == FileKind.SYMLINK), "inode %d is a %s; target row: %s", ino,
                node.kind(), target != null);
        expect(target == null || target.length - View.SINCE_BYTES == node.size(),
                "link %d has another length than its target", ino);
        long held = extents(ino, node);
        if (inline != null) {
            held += inline.length - View.SINCE_BYTES;
            expect(held <= node.size(), "inode %d has %d inline bytes and size %d", ino, held, node.size());
        }
        expect(held == node.allocated(), "inode %d holds %d bytes and says %d", ino, held, node.allocated());
    }

    private static Extent extent(MetaKey key, byte[] row) {
        try {
            return View.extent(new MetaEngine.Entry(key, row));
        } catch (MetaDamagedException impossible) {
            throw new AssertionError(impossible);
        }
    }

    private long extents(long ino, NodeRow node) {
        long held = 0;
        long end = 0;
        for (var row : below(Keys.extents(ino)).entrySet()) {
            var extent = extent(row.getKey(), row.getValue());
            expect(node.storage() == Storage.EXTENTS, "inode %d is kept %s and has an extent", ino, node.storage());
            expect(extent.start() >= end, "inode %d: %s overlaps the extent before it, which ends at %d", ino, extent,
                    end);
            expect(extent.end() <= node.size(), "inode %d: %s lies beyond the size %d", ino, extent, node.size());
            refer(ino, extent);
            held += extent.length();
            end = extent.end();
        }
        return held;
    }

    private void refer(long ino, Extent extent) {
        references.merge(extent.block(), 1L, Long::sum);
        var block = blocks.get(extent.block());
        expect(block != null && extent.offset() + extent.length() <= block.rawSize(), "inode %d: %s of block %s", ino,
                extent, block);
    }

    /** Rows of inodes that are not there. */
    private void strays() {
        for (char kind : new char[] {'X', 'D', 'L', 'A'}) {
            Set<Long> missing = new HashSet<>();
            below(kind).keySet().forEach(key -> missing.add(Keys.number(key, 0)));
            missing.removeAll(nodes.keySet());
            expect(missing.isEmpty(), "%s rows of inodes that are not there: %s", kind, missing);
        }
    }

    // ---- history and references

    private void history() {
        for (var row : below('h').entrySet()) {
            byte[] key = row.getKey().bytes();
            var inner = MetaKey.of(java.util.Arrays.copyOfRange(key, 1, key.length - 9));
            long end = ByteBuffer.wrap(key).getLong(key.length - 8);
            long since = ByteBuffer.wrap(row.getValue()).getLong();
            expect(Keys.isHistoric(inner), "history of %s, which has none", inner);
            expect(since < end, "version of %s from %d to %d", inner, since, end);
            if (inner.bytes()[0] == 'X') {
                refer(Keys.number(inner, 0), extent(inner, row.getValue()));
            }
        }
    }

    private void references() {
        references.forEach((block, count) -> {
            expect(!dead.containsKey(block), "block %x is dead and has %d references", block, count);
            expect(uses.getOrDefault(block, 1L).equals(count), "block %x has %d references and counts %d", block, count,
                    uses.getOrDefault(block, 1L));
            expect(count != 1 || !uses.containsKey(block), "block %x stores a count of 1", block);
        });
        blocks.keySet().forEach(block -> expect(references.containsKey(block) || dead.containsKey(block),
                "block %x is neither used nor dead", block));
        dead.keySet().forEach(block -> expect(uses.getOrDefault(block, 1L) == 0, "block %x is dead and counts %s",
                block, uses.get(block)));
        uses.keySet().forEach(block -> expect(blocks.containsKey(block), "count of block %x, which has no row", block));
    }

    private void digests() {
        below('i').forEach((key, row) -> {
            boolean byDigest = key.bytes().length == 1 + Digest.BYTES;
            long block = byDigest ? ByteBuffer.wrap(row).getLong() : Keys.number(key, 0);
            expect(blocks.containsKey(block), "row %s is of block %x, which is not there", key, block);
            byte[] other = byDigest ? rows.get(Keys.digestOf(block)) : null;
            expect(!byDigest || other != null && Keys.digest(new Digest(other)).equals(key),
                    "block %x does not know it is found by %s", block, key);
        });
    }

    /** Blocks that are found by what they hold. */
    public int digestCount() {
        return (int) below('i').keySet().stream().filter(key -> key.bytes().length == 1 + Digest.BYTES).count();
    }

    private void packs() {
        var counts = new HashMap<Long, Long>();
        below('l').forEach((key, row) -> counts.merge(Packs.Place.parse(row).pack(), 1L, Long::sum));
        counts.keySet().forEach(pack -> expect(rows.containsKey(Keys.pack(pack)),
                "blocks lie in pack %x, which has no row", pack));
        below('P').forEach((key, row) -> {
            long said = ByteBuffer.wrap(row).getLong(16);
            long right = counts.getOrDefault(Keys.number(key, 0), 0L);
            expect(said == right || said < 0 && right == 0, "pack %x counts %d blocks and has %d", Keys.number(key, 0),
                    said, right);
        });
    }

    private void usage() {
        var total = VolumeUsage.NONE;
        for (byte[] row : below('U').values()) {
            total = total.plus(Delta.parse(row));
        }
        var linked = nodes.values().stream().filter(node -> node.links() > 0).toList();
        long stored = blocks.values().stream().filter(block -> !dead.containsKey(block.id()))
                .mapToLong(BlockRow::ownBytes).sum();
        var right = new VolumeUsage(linked.stream().mapToLong(NodeRow::size).sum(), linked.size(), stored);
        long imported = blocks.values().stream()
                .filter(block -> ImportedBlock.is(block.id()) && !dead.containsKey(block.id()))
                .mapToLong(BlockRow::rawSize).sum();
        long counted = counted(Keys.imported(), 0);
        expect(counted == imported, "the volume counts %d imported bytes and has %d", counted, imported);
        expect(total.equals(right), "the volume counts %s and holds %s", total, right);
        long directories = linked.stream().filter(NodeRow::isDirectory).count();
        long roots = counted(Keys.directories(), 1);
        expect(roots == 0 || counted(Keys.directories(), 0) == directories && roots == 1,
                "the volume counts %d directories, %d of them roots, and has %d", counted(Keys.directories(), 0), roots,
                directories);
    }

    private long counted(MetaKey lanes, int sum) {
        return rows.entrySet().stream()
                .filter(row -> Arrays.equals(Arrays.copyOf(row.getKey().bytes(), 2), lanes.bytes()))
                .mapToLong(row -> Delta.parse(row.getValue()).sums()[sum]).sum();
    }

    // ---- objects

    /**
     * Checks the objects too: all that are needed are there, and each is needed, waits to be deleted, or belongs to a
     * live session.
     */
    public MetadataAudit with(BlockStore store) throws IOException {
        var sizes = objects(store);
        checkPresent(sizes);
        sizes.keySet().forEach(id -> expect(
                blocks.containsKey(id) || sessions.stream().anyMatch(session -> session.owns(id)),
                "object %x belongs to nobody", id));
        return this;
    }

    /** Checks only that all objects that are needed are there: a crash may leave others. */
    public MetadataAudit withNeeded(BlockStore store) throws IOException {
        checkPresent(objects(store));
        return this;
    }

    private void checkPresent(Map<Long, Long> sizes) {
        blocks.forEach((id, row) -> {
            if (!dead.containsKey(id) && !ImportedBlock.is(id)) {
                expect(sizes.containsKey(id) && sizes.get(id) == row.storedSize(),
                        "block %x: %s in the store, %d in its row", id, sizes.get(id), row.storedSize());
            }
        });
    }

    /** How long each block is in the store, by itself or in a pack. */
    private Map<Long, Long> objects(BlockStore store) throws IOException {
        var sizes = listed(store, "blocks/");
        var packs = listed(store, "packs/");
        below('l').forEach((key, row) -> {
            var place = Packs.Place.parse(row);
            if (packs.getOrDefault(place.pack(), 0L) >= place.offset() + place.length()) {
                sizes.put(Keys.number(key, 0), (long) place.length());
            }
        });
        return sizes;
    }

    private static Map<Long, Long> listed(BlockStore store, String prefix) throws IOException {
        var sizes = new TreeMap<Long, Long>();
        try (var listed = store.list(prefix)) {
            listed.forEach(object -> {
                String key = object.key().text();
                sizes.put(Long.parseUnsignedLong(key.substring(key.lastIndexOf('/') + 1), 16), object.size());
            });
        }
        return sizes;
    }
}
