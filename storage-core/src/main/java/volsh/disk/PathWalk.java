package volsh.disk;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** A walk along a path, name by name, that looks before each step. */
interface PathWalk {
    /** What has this name where we stand; empty if nothing has. A link is seen itself. */
    Optional<ModeAndOwner> look(Path name) throws IOException;

    /** How the path is called that was looked at last. */
    Path next();

    /** Where the link leads that was looked at last. */
    Path target() throws IOException;

    /** Steps into what was looked at last. */
    void enter();

    /** Goes back to the root of all paths. */
    void restart() throws IOException;
}
