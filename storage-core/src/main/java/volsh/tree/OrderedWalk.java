package volsh.tree;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/** Walks directories, parents before their contents. In memory are the cursors of the directories on the way. */
final class OrderedWalk implements TreeCursor {
    private final Directories directories;
    private final Deque<TreeCursor> open = new ArrayDeque<>();
    private @Nullable TreeEntry entering;

    /** Lists one directory. */
    interface Directories {
        TreeCursor children(TreeEntry directory) throws IOException;
    }

    OrderedWalk(Directories directories, TreeEntry top) {
        this.directories = directories;
        this.entering = top;
    }

    @Override
    public @Nullable TreeEntry next() throws IOException {
        if (entering != null) {
            open.push(directories.children(entering));
            entering = null;
        }
        while (!open.isEmpty()) {
            var found = open.peek().next();
            if (found != null) {
                entering = found.isDirectory() ? found : null;
                return found;
            }
            open.pop();
        }
        return null;
    }
}
