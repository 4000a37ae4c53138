package volsh.meta;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import volsh.engine.Keys;
import volsh.engine.MetaDamagedException;
import volsh.engine.StateMark;
import volsh.fs.Attributes;
import volsh.fs.DirectoryEntry;
import volsh.fs.FileKind;
import volsh.fs.Name;

/**
 * Finds what a path leads to, with an extended attribute and the bytes of a small file, in one read: everything that
 * it returns is of one state. Links are not followed.
 */
public final class PathLookup {
    private static final int TOGETHER = 250;

    private final Changes changes;

    /**
     * What a path leads to.
     *
     * @param attribute null if it is not set
     * @param bytes     of a file that is in the metadata, if it has at most the size that was asked for
     */
    public record Found(Attributes attributes, byte @Nullable [] attribute, Optional<byte[]> bytes) {}

    public PathLookup(Namespace names) {
        this.changes = names.changes();
    }

    /** Empty if the path leads nowhere; without names, the root. */
    public Optional<Found> find(List<Name> path, byte[] attribute, long bytesMax) throws IOException {
        return changes.look(view -> {
            var entry = walk(view, path);
            return entry == null ? Optional.empty() : Optional.of(found(view, entry, attribute, bytesMax));
        });
    }

    /** A mark of what is committed, see {@link volsh.engine.MetaEngine#stateMark}. */
    public @Nullable StateMark mark() throws IOException {
        return changes.mark();
    }

    /** The inode that a path leads to, and its kind; empty if it leads nowhere. */
    public Optional<DirectoryEntry> entry(List<Name> path) throws IOException {
        return changes.look(view -> Optional.ofNullable(walk(view, path)));
    }

    private static @Nullable DirectoryEntry walk(View view, List<Name> path) throws IOException {
        var at = new DirectoryEntry(Name.of("root"), Namespace.ROOT, FileKind.DIRECTORY);
        for (var name : path) {
            if (at.kind() != FileKind.DIRECTORY) {
                return null;
            }
            view.expectNamed(List.of(Keys.entry(at.ino(), name)), List.of());
            var next = view.find(at.ino(), name);
            if (next == null) {
                return null;
            }
            at = next;
        }
        return at;
    }

    private static Found found(View view, DirectoryEntry entry, byte[] attribute, long bytesMax)
            throws IOException {
        long ino = entry.ino();
        var node = view.named(entry);
        if (node.kind() != entry.kind()) {
            throw MetaDamagedException.of(Keys.node(ino), "is a %s, but its entry says %s"
                    .formatted(node.kind(), entry.kind()), null);
        }
        var attributes = view.attributes(ino, node);
        var value = view.content(Keys.attribute(ino, attribute));
        boolean withBytes = attributes.isRegular() && attributes.size() <= bytesMax
                && node.storage() == NodeRow.Storage.INLINE;
        return new Found(attributes, value == null ? null : View.bytes(value),
                withBytes ? Optional.of(view.inline(ino)) : Optional.empty());
    }

    /** This attribute of those inodes that have it, with one read for many of them. */
    public Map<Long, byte[]> attributes(List<Long> inos, byte[] attribute) throws IOException {
        var found = new HashMap<Long, byte[]>();
        for (int from = 0; from < inos.size(); from += TOGETHER) {
            var keys = inos.subList(from, Math.min(from + TOGETHER, inos.size())).stream()
                    .map(ino -> Keys.attribute(ino, attribute)).toList();
            changes.look(view -> view.tx.getAll(keys))
                    .forEach((key, row) -> found.put(Keys.number(key, 0), View.bytes(View.content(row))));
        }
        return found;
    }
}
