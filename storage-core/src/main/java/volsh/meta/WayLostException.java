package volsh.meta;

import java.io.IOException;
import java.util.List;

/** A caller's path no longer exists: its name refers to another inode, or none. As cheap as a refusal. */
public final class WayLostException extends IOException {
    private final transient List<Way> lost;

    WayLostException(List<Way> lost) {
        super("path no longer exists: " + lost);
        this.lost = List.copyOf(lost);
    }

    public List<Way> lost() {
        return lost;
    }

    @Override
    public synchronized Throwable fillInStackTrace() {
        return this;
    }
}
