package volsh.disk;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** A walk along a path, name by name, with a check before each step. */
interface PathWalk {
    /** Looks up a name in the current directory; empty if it does not exist. A link counts as itself. */
    Optional<ModeAndOwner> look(Path name) throws IOException;

    /** The path that was looked up last. */
    Path next();

    /** The target of the link that was looked up last. */
    Path target() throws IOException;

    /** Enters what was looked up last. */
    void enter();

    /** Returns to the root directory. */
    void restart() throws IOException;
}
