package volsh.meta;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import volsh.engine.Keys;
import volsh.fs.DirectoryEntry;
import volsh.fs.FileKind;
import volsh.fs.ImportedBlock;
import volsh.meta.NodeRow.Storage;

/**
 * What a name of the volume has to do with an object of a bucket.
 *
 * @param is what is there
 * @param ino the inode of the name; 0 if there is none
 * @param version the version of the file that was looked at
 * @param key the object that the file is; null if it is none
 */
public record ImportState(Is is, long ino, long version, @Nullable ImportedBlock key) {
    private static final int PAGE = 256;

    /** What a name is. */
    public enum Is {
        /** There is no such name. */
        FREE,
        /** A file without bytes. */
        EMPTY,
        /** Exactly an object as it was imported, from its first byte to its last. */
        OBJECT,
        DIRECTORY,
        /** Another file, or an imported one that was written to. */
        OTHER,
        /** A file with more extents than were asked for. */
        LONG
    }

    /** Looks at an entry, null if there is none, and at most {@code most} extents of its file. */
    static ImportState of(View view, @Nullable DirectoryEntry entry, int most) throws IOException {
        if (entry == null) {
            return new ImportState(Is.FREE, 0, 0, null);
        }
        if (entry.kind() != FileKind.REGULAR) {
            return new ImportState(entry.kind() == FileKind.DIRECTORY ? Is.DIRECTORY : Is.OTHER, entry.ino(), 0, null);
        }
        var node = view.named(entry);
        if (node.storage() == Storage.NONE && node.size() == 0) {
            return new ImportState(Is.EMPTY, entry.ino(), node.version(), null);
        }
        if (node.storage() != Storage.EXTENTS) {
            return new ImportState(Is.OTHER, entry.ino(), node.version(), null);
        }
        return ofExtents(view, entry.ino(), node, most);
    }

    private static ImportState ofExtents(View view, long ino, NodeRow node, int most) throws IOException {
        ImportedBlock object = null;
        long at = 0;
        for (int seen = 0; at < node.size(); ) {
            var extents = view.extents(ino, at, Long.MAX_VALUE, Math.min(PAGE, most - seen));
            view.tx.expect(extents.stream().map(extent -> Keys.block(extent.block())).toList());
            for (var extent : extents) {
                var part = extent.start() == at && ImportedBlock.is(extent.block())
                        ? ImportedBlock.of(view.block(extent.block())) : null;
                if (part == null || part.size() != node.size() || part.offset() + extent.offset() != at
                        || object != null && !part.isOf(object)) {
                    return new ImportState(Is.OTHER, ino, node.version(), null);
                }
                object = part;
                at = extent.end();
            }
            seen += extents.size();
            if (extents.isEmpty() || at < node.size() && seen >= most) {
                return new ImportState(extents.isEmpty() ? Is.OTHER : Is.LONG, ino, node.version(), null);
            }
        }
        return new ImportState(Is.OBJECT, ino, node.version(), object);
    }

    /** Whether the name is this object, in this state. */
    public boolean isExactly(ImportedBlock object) {
        return key != null && key.isOf(object);
    }

    /** Whether the name is an earlier or this state of the object. */
    public boolean isOfKey(int source, String name) {
        return key != null && key.source() == source && key.key().equals(name);
    }
}
