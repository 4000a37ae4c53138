package volsh.checkpoint;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import volsh.place.LayoutPolicy;
import volsh.transfer.TreeWalk;
import volsh.volume.BlockCare;
import volsh.volume.Volume;

/**
 * Moves checkpoints that no rule keeps in place to another layout of the same volume: from a fast store to an archive.
 * Names, manifests and sharing stay as they are. A block shared with a checkpoint that stays is left in place, and
 * follows when that one moves. Can be stopped anywhere, and continues when run again.
 */
public final class Archiving {
    private final Volume volume;
    private final BlockCare care;
    private final Checkpoints checkpoints;
    private final LayoutPolicy policy;

    public Archiving(Volume volume, BlockCare care, Checkpoints checkpoints, LayoutPolicy policy) {
        this.volume = volume;
        this.care = care;
        this.checkpoints = checkpoints;
        this.policy = policy;
    }

    /**
     * A checkpoint to move.
     *
     * @param blocks that move, or have moved
     * @param bytes  stored bytes of these
     * @param left   blocks that stay, because checkpoints that stay share them
     */
    public record Moving(Checkpoint checkpoint, long blocks, long bytes, long left) {}

    /** What would move of a run, oldest first, without checkpoints that have already moved completely. */
    public List<Moving> plan(String run, Retention keep) throws IOException {
        return each(run, keep, false);
    }

    /** Moves the checkpoints. */
    public List<Moving> run(String run, Retention keep) throws IOException {
        return each(run, keep, true);
    }

    private List<Moving> each(String run, Retention keep, boolean moves) throws IOException {
        var going = checkpoints.beyond(run, keep);
        var staying = staying(going);
        var planned = new HashSet<Long>();
        var all = new ArrayList<Moving>();
        for (var one : going) {
            boolean archived = isArchived(one);
            var moving = moves ? move(one, staying) : foresee(one, staying, planned);
            if (moving.blocks() > 0 || !archived) {
                all.add(moving);
            }
        }
        return all;
    }

    /** The blocks of all checkpoints except those that move now or have moved already. */
    private Set<Long> staying(List<Checkpoint> going) throws IOException {
        var blocks = new HashSet<Long>();
        for (var one : checkpoints.list(Optional.empty())) {
            if (going.stream().noneMatch(other -> other.path().equals(one.path())) && !isArchived(one)) {
                for (long ino : files(one)) {
                    care.blocks(ino).forEach(used -> blocks.add(used.row().id()));
                }
            }
        }
        return blocks;
    }

    private boolean isArchived(Checkpoint one) throws IOException {
        return care.hasPolicy(volume.paths().resolve(one.path()).ino(), policy);
    }

    private Moving foresee(Checkpoint one, Set<Long> staying, Set<Long> planned) throws IOException {
        long blocks = 0;
        long bytes = 0;
        long left = 0;
        for (long ino : files(one)) {
            for (var used : care.blocks(ino)) {
                if (staying.contains(used.row().id())) {
                    left++;
                } else if (!care.isAt(used, ino, policy) && planned.add(used.row().id())) {
                    blocks++;
                    bytes += used.row().ownBytes();
                }
            }
        }
        return new Moving(one, blocks, bytes, left);
    }

    /** Sets the layout first: bytes added to a file meanwhile then go to the right place. */
    private Moving move(Checkpoint one, Set<Long> staying) throws IOException {
        long directory = volume.paths().resolve(one.path()).ino();
        care.setPolicy(directory, policy);
        new TreeWalk(volume.vfs()).below(directory, found -> {
            care.setPolicy(found.attributes().ino(), policy);
            return true;
        });
        long blocks = 0;
        long bytes = 0;
        long left = 0;
        for (long ino : files(one)) {
            for (var used : care.blocks(ino)) {
                if (staying.contains(used.row().id())) {
                    left++;
                } else if (care.move(used, ino, policy)) {
                    blocks++;
                    bytes += used.row().ownBytes();
                }
            }
        }
        volume.sync();
        return new Moving(one, blocks, bytes, left);
    }

    private List<Long> files(Checkpoint one) throws IOException {
        return files(volume, one);
    }

    /** The regular files of a checkpoint. */
    public static List<Long> files(Volume volume, Checkpoint one) throws IOException {
        var files = new ArrayList<Long>();
        new TreeWalk(volume.vfs()).below(volume.paths().resolve(one.path()).ino(), found -> {
            if (found.attributes().isRegular()) {
                files.add(found.attributes().ino());
            }
            return true;
        });
        return files;
    }
}
