package volsh.fuse;

import java.io.IOException;

/** What the programs of a mount have open. */
public interface OpenHandles {
    /** Closes everything the kernel left open; tries all, throws the first failure. */
    void closeAll() throws IOException;
}
