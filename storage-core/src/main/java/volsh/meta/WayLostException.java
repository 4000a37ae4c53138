package volsh.meta;

import java.io.IOException;
import java.util.List;

/** Somebody came a way that is none any more: another inode, or none, is under that name. As cheap as a refusal. */
public final class WayLostException extends IOException {
    private final transient List<Way> lost;

    WayLostException(List<Way> lost) {
        super("not there any more: " + lost);
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
