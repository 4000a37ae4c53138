package volsh.vfs;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import volsh.fs.ImportedBlock;
import volsh.meta.SmallFiles.Small;
import volsh.meta.SmallFiles.Use;

/**
 * Decides which of some small files, given in the order in which they are expected to be read, are stored together.
 *
 * <p>A block is <em>free</em> to go if all extents that name it belong to these files, so that it is deleted when they
 * have moved: blocks that clones, checkpoints, views or other directories share stay where they are. It is worth moving
 * if it is small, at most half of a full one, or mostly unused, because files that shared it are gone; imported blocks
 * never are. A file moves if all its blocks do, and a block if all its files do. Full blocks in use are never stored
 * again, so repeated runs end.
 */
final class PackingChoice {
    private final int full;
    private final Set<Long> failed;

    /** {@code full} is the size of a full block; the files in {@code failed} stay as they are. */
    PackingChoice(int full, Set<Long> failed) {
        this.full = full;
        this.failed = failed;
    }

    /** Numbers the layout of the new blocks of a file: files with different layouts share no block. */
    interface Layouts {
        int of(long ino) throws IOException;
    }

    /**
     * Files to store as one block.
     *
     * @param blocks the blocks they are in now
     * @param sparse whether one of these blocks is mostly unused
     */
    record Group(List<Small> files, Set<Long> blocks, long bytes, boolean sparse) {
        /** Whether one block in place of at least {@code blocksMin}, or of unused space, is worth storing them. */
        boolean isWorthIt(int blocksMin) {
            return blocks.size() >= blocksMin || sparse;
        }
    }

    List<Group> groups(List<Small> files, Map<Long, Use> blocks, Layouts layouts) throws IOException {
        var sparse = new HashSet<Long>();
        var movable = movable(files, blocks, sparse);
        var groups = new ArrayList<Group>();
        Group group = null;
        int layout = 0;
        for (var file : movable) {
            int mine = layouts.of(file.ino());
            if (group == null || layout != mine || group.bytes() + file.bytes() > full) {
                group = new Group(new ArrayList<>(), new HashSet<>(), 0, false);
                groups.add(group);
                layout = mine;
            }
            group = with(groups.removeLast(), file, sparse);
            groups.add(group);
        }
        return groups;
    }

    private static Group with(Group group, Small file, Set<Long> sparse) {
        group.files().add(file);
        file.extents().forEach(extent -> group.blocks().add(extent.block()));
        return new Group(group.files(), group.blocks(), group.bytes() + file.bytes(),
                group.sparse() || file.extents().stream().anyMatch(extent -> sparse.contains(extent.block())));
    }

    private List<Small> movable(List<Small> files, Map<Long, Use> blocks, Set<Long> sparse) {
        var going = worthMoving(files, blocks, sparse);
        var left = new ArrayList<>(files);
        left.removeIf(file -> failed.contains(file.ino()));
        boolean changed = true;
        while (changed) {   // a file that stays keeps its blocks, and these keep their other files
            changed = left.removeIf(file -> file.extents().stream().anyMatch(
                    extent -> !going.contains(extent.block())));
            var used = new HashMap<Long, Long>();
            left.forEach(file -> file.extents().forEach(extent -> used.merge(extent.block(), 1L, Long::sum)));
            changed |= going.removeIf(block -> used.getOrDefault(block, 0L)
                    != Objects.requireNonNull(blocks.get(block)).extents());
        }
        return left;
    }

    private Set<Long> worthMoving(List<Small> files, Map<Long, Use> blocks, Set<Long> sparse) {
        var used = new HashMap<Long, Long>();
        files.forEach(file -> file.extents().forEach(
                extent -> used.merge(extent.block(), extent.length(), Long::sum)));
        var going = new HashSet<Long>();
        blocks.forEach((id, use) -> {
            boolean isSparse = used.getOrDefault(id, 0L) * 2 < use.block().rawSize();
            if (isSparse) {
                sparse.add(id);
            }
            if (!use.found() && !ImportedBlock.is(id) && (isSparse || use.block().rawSize() * 2 <= full)) {
                going.add(id);
            }
        });
        return going;
    }
}
