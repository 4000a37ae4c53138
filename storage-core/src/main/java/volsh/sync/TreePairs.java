package volsh.sync;

import java.io.IOException;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import volsh.tree.FileTree;
import volsh.tree.TreeCursor;
import volsh.tree.TreeEntry;

/** The entries of two trees, side by side, in the order in which both are listed. Holds one entry of each. */
final class TreePairs {
    private final Side source;
    private final Side target;

    TreePairs(FileTree source, FileTree target, Predicate<String> taken) throws IOException {
        this.source = new Side(below(source), taken);
        this.target = new Side(below(target), taken);
    }

    /** What is at a path in both trees, or in one. */
    record Pair(@Nullable TreeEntry source, @Nullable TreeEntry target) {}

    /** The next pair; null at the end. */
    @Nullable Pair next() throws IOException {
        var ours = source.peek();
        var theirs = target.peek();
        if (ours == null && theirs == null) {
            return null;
        }
        int order = ours == null ? 1 : theirs == null ? -1 : TreeEntry.compare(ours, theirs);
        return new Pair(order <= 0 ? source.take() : null, order >= 0 ? target.take() : null);
    }

    private static TreeCursor below(FileTree tree) throws IOException {
        return tree.find("").isPresent() ? tree.below("") : () -> null;
    }

    /** A listing without what does not take part. */
    private static final class Side {
        private final TreeCursor cursor;
        private final Predicate<String> taken;
        private @Nullable TreeEntry next;

        Side(TreeCursor cursor, Predicate<String> taken) {
            this.cursor = cursor;
            this.taken = taken;
        }

        @Nullable TreeEntry peek() throws IOException {
            while (next == null) {
                var read = cursor.next();
                if (read == null) {
                    return null;
                }
                next = taken.test(read.sortKey()) ? read : null;
            }
            return next;
        }

        @Nullable TreeEntry take() throws IOException {
            var taking = peek();
            next = null;
            return taking;
        }
    }
}
