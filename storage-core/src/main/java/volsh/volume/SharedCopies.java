package volsh.volume;

import java.io.IOException;
import volsh.fs.FsException;
import volsh.fs.Name;
import volsh.history.Trees;
import volsh.vfs.Vfs;

/**
 * Copies of files and trees of one past state of a volume, made within it without copying data: both share the stored
 * blocks until one changes. A copy appears whole, in one step, or not at all. The past state must stay open meanwhile.
 */
public final class SharedCopies {
    private final Trees trees;
    private final PastState past;

    SharedCopies(Trees trees, PastState past) {
        this.trees = trees;
        this.past = past;
    }

    /**
     * Copies inode {@code ino}, with all below it, under a name, instead of what has it if {@code replace}.
     * @throws FsException EXISTS
     */
    public void copy(long ino, long directory, Name name, boolean replace, Trees.Watcher watcher) throws IOException {
        long copy = trees.copy(past.engine(), ino, directory, watcher);
        past.requireKept();
        trees.place(copy, directory, name, replace);
    }

    /** Makes the volume hold what it held then: all of it in one step, unless the root has very many names. */
    public void restoreAll(Trees.Watcher watcher) throws IOException {
        trees.placeAsRoot(trees.copy(past.tick(), Vfs.ROOT, Vfs.ROOT, watcher), past.tick());
    }
}
