package volsh.tree;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Entries in the order of {@link TreeEntry#sortKey}, read as they are asked for: memory does not grow with them. */
public interface TreeCursor {
    /** The next entry; null at the end. */
    @Nullable TreeEntry next() throws IOException;
}
