package volsh.upkeep.dump;

import java.io.IOException;

/** Not a valid dump: incomplete, changed, or impossible for a volume. */
public final class DumpRefusedException extends IOException {
    DumpRefusedException(String message) {
        super(message);
    }
}
