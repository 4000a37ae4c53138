package volsh.transfer;

import java.io.IOException;
import volsh.vfs.Vfs;

/** Shows a tree of a volume to a visitor, parents before children, names in order. */
public final class TreeWalk {
    private final Vfs vfs;

    public TreeWalk(Vfs vfs) {
        this.vfs = vfs;
    }

    /** What to do on the way. */
    public interface Visitor {
        /** Every file, directories before what they hold. Returns whether to go down into a directory. */
        boolean visit(Trail.Found found) throws IOException;

        /** A directory after everything it holds. */
        default void leave(Trail.Found directory) throws IOException {}

        /** The same; {@code whole} unless something that lies before cannot be shown because it is damaged. */
        default void leave(Trail.Found directory, boolean whole) throws IOException {
            leave(directory);
        }
    }

    /** Visits everything below the directory, but not itself. @throws volsh.fs.DamagedException at the end, if some of it is damaged */
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
