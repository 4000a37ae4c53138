package volsh.transfer;

import java.io.IOException;
import volsh.vfs.Vfs;

/** Walks a tree of a volume for a visitor, parents before children, in name order. */
public final class TreeWalk {
    private final Vfs vfs;

    public TreeWalk(Vfs vfs) {
        this.vfs = vfs;
    }

    /** Visits the files of a tree. */
    public interface Visitor {
        /** Visits a file, directories before their contents. Returns whether to enter a directory. */
        boolean visit(Trail.Found found) throws IOException;

        /** Visits a directory again after its contents. */
        default void leave(Trail.Found directory) throws IOException {}

        /** The same; {@code whole} is false if something could not be shown because it is damaged. */
        default void leave(Trail.Found directory, boolean whole) throws IOException {
            leave(directory);
        }
    }

    /**
     * Visits all files below the directory, without itself.
     *
     * @throws volsh.fs.DamagedException at the end, if some of it is damaged
     */
    public void below(long directory, Visitor visitor) throws IOException {
        var trail = new Trail(vfs, directory);
        for (var step = trail.next(); step != null; step = trail.next()) {
            if (step.leaving()) {
                visitor.leave(step.found(), !trail.isDamaged());
            } else if (!visitor.visit(step.found())) {
                trail.skip();
            }
        }
    }
}
