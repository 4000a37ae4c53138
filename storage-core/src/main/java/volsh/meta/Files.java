package volsh.meta;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import volsh.engine.Keys;
import volsh.engine.MetaDamagedException;
import volsh.fs.Attributes;
import volsh.fs.BlockRow;
import volsh.fs.Content;
import volsh.fs.Extent;
import volsh.fs.FileCommit;
import volsh.fs.FileTable;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.Move;
import volsh.fs.Patch;
import volsh.meta.NodeRow.Storage;

/** The bytes of regular files, as the metadata sees them: inline rows and extents. */
public final class Files implements FileTable {
    /** No file is larger: 2^60 bytes. */
    public static final long SIZE_MAX = 1L << 60;

    private static final int EXTENTS_MAX = 256;
    private static final int SHARED_MAX = 16;
    private static final byte[] NOTHING = {};

    private final Changes changes;

    Files(Changes changes) {
        this.changes = changes;
    }

    @Override
    public long newBlock() throws IOException {
        return changes.session().newBlock();
    }

    @Override
    public Content content(long ino, long from, long to) throws IOException {
        return changes.look(view -> {
            var node = view.regular(ino);
            var attributes = node.attributes(ino);
            return switch (node.storage()) {
                case NONE -> new Content(attributes, null, List.of(), Map.of(), true);
                case INLINE -> new Content(attributes, view.inline(ino), List.of(), Map.of(), true);
                case EXTENTS -> extents(view, attributes, from, to);
            };
        });
    }

    private static Content extents(View view, Attributes attributes, long from, long to) throws IOException {
        var extents = view.extents(attributes.ino(), from, to, EXTENTS_MAX);
        requireApart(attributes.ino(), extents);
        var rows = new HashMap<Long, BlockRow>();
        view.tx.expect(extents.stream().map(extent -> Keys.block(extent.block())).distinct().toList());
        for (var extent : extents) {
            if (!rows.containsKey(extent.block())) {
                rows.put(extent.block(), view.block(extent.block()));
            }
        }
        if (from <= 0 && to >= attributes.size() && extents.size() < EXTENTS_MAX) {
            requireAll(attributes, extents);
        }
        return new Content(attributes, null, extents, rows, extents.size() < EXTENTS_MAX);
    }

    /** Rejects extents that overlap: there is no telling which bytes are right. */
    private static void requireApart(long ino, List<Extent> extents) throws MetaDamagedException {
        for (int i = 1; i < extents.size(); i++) {
            if (extents.get(i).start() < extents.get(i - 1).end()) {
                throw MetaDamagedException.of(Keys.extent(ino, extents.get(i).end()),
                        "overlaps another extent: bytes %d to %d"
                        .formatted(extents.get(i).start(), extents.get(i - 1).end()), null);
            }
        }
    }

    /** Rejects a file with a missing extent: it would read as a hole, that is, as zeros. */
    private static void requireAll(Attributes attributes, List<Extent> extents) throws MetaDamagedException {
        long held = extents.stream().mapToLong(Extent::length).sum();
        if (held < attributes.allocated()) {
            throw MetaDamagedException.of(Keys.node(attributes.ino()), ("counts %d bytes in extents, "
                    + "but the extents hold %d").formatted(attributes.allocated(), held), null);
        }
    }

    @Override
    public Optional<Attributes> patchInline(long ino, List<Patch> patches, long size, OptionalLong mtime, int inlineMax)
            throws IOException {
        return changes.change(edit -> {
            edit.expectChange(Keys.node(ino), Keys.inline(ino));
            var node = edit.regular(ino);
            long newSize = Math.max(node.size(), size);
            if (node.storage() == Storage.EXTENTS || newSize > inlineMax) {
                return Optional.empty();
            }
            byte[] old = node.storage() == Storage.INLINE ? edit.inline(ino) : NOTHING;
            long end = patches.stream().mapToLong(Patch::end).max().orElse(0);
            byte[] bytes = Arrays.copyOf(old, (int) Math.max(old.length, end));
            for (var patch : patches) {
                System.arraycopy(patch.bytes(), 0, bytes, (int) patch.offset(), patch.bytes().length);
            }
            return Optional.of(setInline(edit, ino, node, bytes, newSize, mtime));
        });
    }

    @Override
    public Optional<Attributes> appendInline(long ino, byte[] bytes, OptionalLong mtime, int inlineMax)
            throws IOException {
        return changes.change(edit -> {
            edit.expectChange(Keys.node(ino), Keys.inline(ino));
            var node = edit.regular(ino);
            if (node.storage() == Storage.EXTENTS || node.size() + bytes.length > inlineMax) {
                return Optional.empty();
            }
            byte[] all = new byte[(int) node.size() + bytes.length];
            if (node.storage() == Storage.INLINE) {
                byte[] old = edit.inline(ino);
                System.arraycopy(old, 0, all, 0, old.length);
            }
            System.arraycopy(bytes, 0, all, (int) node.size(), bytes.length);
            return Optional.of(setInline(edit, ino, node, all, all.length, mtime));
        });
    }

    /** The bytes may be fewer than the file has: the rest is a hole. */
    private static Attributes setInline(Edit edit, long ino, NodeRow node, byte[] bytes, long size,
            OptionalLong mtime) throws IOException {
        if (bytes.length == 0) {
            edit.remove(Keys.inline(ino));
        } else {
            edit.put(Keys.inline(ino), bytes);
        }
        return write(edit, ino, node, bytes.length == 0 ? Storage.NONE : Storage.INLINE, size, bytes.length, mtime);
    }

    /** Writes the inode after its bytes changed, with the time of the write rather than of this commit. */
    static Attributes write(Edit edit, long ino, NodeRow node, Storage storage, long size, long allocated,
            OptionalLong mtime) throws IOException {
        var changed = node.changed(storage, size, allocated)
                .withTimes(node.atime(), mtime.orElse(node.mtime()), Math.max(node.ctime(), mtime.orElse(0)));
        edit.putNode(ino, changed);
        if (size != node.size() && node.links() > 0) {
            edit.use(ino, node, size - node.size(), 0);
        }
        return changed.attributes(ino);
    }

    @Override
    public Optional<Attributes> commit(long ino, FileCommit commit) throws IOException {
        var step = step(ino, commit);
        while (step.isPresent() && step.get().rest() != null) {
            step = step(ino, step.get().rest());
        }
        return step.map(Step::attributes);
    }

    private record Step(Attributes attributes, @Nullable FileCommit rest) {}

    private Optional<Step> step(long ino, FileCommit asked) throws IOException {
        return changes.change(edit -> {
            edit.expectChange(Keys.node(ino));
            var node = edit.regular(ino);
            var commit = asked.append() ? asked.placedAt(node.size()) : asked;
            boolean inline = node.storage() == Storage.INLINE;
            if (inline ? commit.absorbed() != node.version() : commit.absorbed() >= 0) {
                return Optional.empty();   // those bytes were changed, moved or truncated meanwhile
            }
            if (inline) {
                edit.remove(Keys.inline(ino));
                node = node.changed(Storage.EXTENTS, node.size(), 0);
            }
            if (commit.size() > SIZE_MAX) {
                throw new FsException(FsError.FILE_TOO_BIG);
            }
            for (var block : commit.blocks()) {
                edit.uses().introduce(block);
            }
            var rows = new FileRows(edit, ino);
            rows.move(commit.moves());
            var left = lay(rows, commit.extents());
            long reached = left.isEmpty() ? commit.size() : left.getFirst().start();
            long size = Math.max(node.size(), Math.min(commit.size(), reached));
            var attributes = write(edit, ino, node, Storage.EXTENTS, size, node.allocated() + rows.allocatedChange(),
                    commit.mtime());
            return Optional.of(new Step(attributes, left.isEmpty() ? null : rest(edit, commit, left)));
        });
    }

    /** What is left for another transaction, including blocks that this one has not used yet. */
    private static FileCommit rest(Edit edit, FileCommit commit, List<Extent> left) {
        var unused = commit.blocks().stream().filter(block -> !edit.uses().isNamed(block.id())).toList();
        return new FileCommit(unused, left, commit.size(), commit.mtime(), -1);
    }

    /** Lays as many extents as fit the transaction; returns those left. */
    private static List<Extent> lay(FileRows rows, List<Extent> extents) throws IOException {
        for (int i = 0; i < extents.size(); i++) {
            var extent = extents.get(i);
            long reached = rows.isFull() ? extent.start() : rows.lay(extent);
            if (reached < extent.end()) {
                var left = new ArrayList<>(extents.subList(i, extents.size()));
                left.set(0, extent.clip(reached, extent.end()));
                return left;
            }
        }
        return List.of();
    }

    @Override
    public Optional<Attributes> move(long ino, BlockRow block, List<Move> moves) throws IOException {
        return changes.change(edit -> {
            var node = edit.regular(ino);
            var rows = new FileRows(edit, ino);
            edit.uses().introduce(block);
            return rows.move(moves)
                    ? Optional.of(write(edit, ino, node, node.storage(), node.size(),
                            node.allocated() + rows.allocatedChange(), OptionalLong.empty()))
                    : Optional.empty();
        });
    }

    @Override
    public Attributes truncate(long ino, long size) throws IOException {
        if (size < 0) {
            throw new FsException(FsError.INVALID);
        }
        if (size > SIZE_MAX) {
            throw new FsException(FsError.FILE_TOO_BIG);
        }
        var cuts = new ArrayList<>(cuts(ino, size));
        while (cuts.size() > 1) {
            cutAt(ino, cuts.removeLast());
        }
        return cutAt(ino, size);
    }

    /** The offsets, ascending from {@code size}, at which to truncate a long file in steps that fit a transaction. */
    private List<Long> cuts(long ino, long size) throws IOException {
        var cuts = new ArrayList<Long>();
        long from = size;
        while (true) {
            long start = from;
            cuts.add(start);
            var page = changes.look(view -> view.extents(ino, start, Long.MAX_VALUE, FileRows.ROWS_MAX / 2));
            if (page.size() < FileRows.ROWS_MAX / 2) {
                return cuts;
            }
            from = page.getLast().end();
        }
    }

    private Attributes cutAt(long ino, long size) throws IOException {
        return changes.remove(edit -> {
            edit.expectChange(Keys.node(ino));
            var node = edit.regular(ino);
            var now = OptionalLong.of(edit.now);
            if (node.storage() == Storage.INLINE) {
                return truncateInline(edit, ino, node, size, now);
            }
            if (size >= node.size()) {
                return write(edit, ino, node, node.storage(), size, node.allocated(), now);
            }
            var rows = new FileRows(edit, ino);
            if (rows.clear(size, Long.MAX_VALUE) != Long.MAX_VALUE) {
                throw new FsException(FsError.BUSY,
                        "truncation gave up: the file grows faster than it can be truncated; retry");
            }
            return write(edit, ino, node, size == 0 ? Storage.NONE : node.storage(), size,
                    node.allocated() + rows.allocatedChange(), now);
        });
    }

    private static Attributes truncateInline(Edit edit, long ino, NodeRow node, long size, OptionalLong now)
            throws IOException {
        byte[] bytes = edit.inline(ino);
        if (size >= bytes.length) {   // the inline row may be shorter than the file: the rest is a hole
            return write(edit, ino, node, Storage.INLINE, size, node.allocated(), now);
        }
        byte[] kept = Arrays.copyOf(bytes, (int) size);
        if (kept.length == 0) {
            edit.remove(Keys.inline(ino));
        } else {
            edit.put(Keys.inline(ino), kept);
        }
        return write(edit, ino, node, kept.length == 0 ? Storage.NONE : Storage.INLINE, size, kept.length, now);
    }

    @Override
    public Attributes punch(long ino, long from, long to, boolean extend) throws IOException {
        long at = from;
        while (true) {
            long start = at;
            var step = changes.remove(edit -> punchStep(edit, ino, start, to, extend));
            if (step.reached() >= to) {
                return step.attributes();
            }
            at = step.reached();
        }
    }

    private record Punched(Attributes attributes, long reached) {}

    private static Punched punchStep(Edit edit, long ino, long from, long to, boolean extend) throws IOException {
        var node = edit.regular(ino);
        long size = extend ? Math.max(node.size(), to) : node.size();
        var now = OptionalLong.of(edit.now);
        if (node.storage() == Storage.INLINE) {
            byte[] bytes = edit.inline(ino);
            if (from < bytes.length) {
                Arrays.fill(bytes, (int) from, (int) Math.min(to, bytes.length), (byte) 0);
            }
            edit.put(Keys.inline(ino), bytes);
            return new Punched(write(edit, ino, node, Storage.INLINE, size, bytes.length, now), to);
        }
        var rows = new FileRows(edit, ino);
        long reached = from < to ? rows.clear(from, to) : to;
        return new Punched(write(edit, ino, node, node.storage(), size, node.allocated() + rows.allocatedChange(), now),
                reached);
    }

    @Override
    public boolean share(long source, long from, long target, long to, long length) throws IOException {
        long done = 0;
        while (done < length) {
            long start = done;
            long next = changes.change(edit -> shareStep(edit, source, from, target, to, start, length));
            if (next < 0) {
                return false;
            }
            done = next;
        }
        return true;
    }

    private static long shareStep(Edit edit, long source, long from, long target, long to, long done, long length)
            throws IOException {
        var origin = edit.regular(source);
        var node = edit.regular(target);
        if (origin.storage() == Storage.INLINE || node.storage() == Storage.INLINE) {
            return -1;
        }
        var extents = edit.extents(source, from + done, from + length, SHARED_MAX);
        long end = extents.size() < SHARED_MAX ? length : Math.min(length, extents.getLast().end() - from);
        var copies = extents.stream()
                .map(extent -> extent.clip(from + done, from + end))
                .map(part -> new Extent(part.start() - from + to, part.length(), part.block(), part.offset()))
                .toList();
        var rows = new FileRows(edit, target);
        long reached = replace(rows, to + done, to + end, copies);
        long size = Math.max(node.size(), reached);
        write(edit, target, node, Storage.EXTENTS, size, node.allocated() + rows.allocatedChange(),
                OptionalLong.of(edit.now));
        return reached - to;
    }

    /** Makes {@code [from, to)} these extents and the holes between them; returns how far the transaction came. */
    private static long replace(FileRows rows, long from, long to, List<Extent> extents) throws IOException {
        long at = from;
        for (var extent : extents) {
            at = at < extent.start() ? rows.clear(at, extent.start()) : at;
            at = at < extent.start() ? at : rows.lay(extent);
            if (at < extent.end()) {
                return at;
            }
        }
        return at < to ? rows.clear(at, to) : at;
    }
}
