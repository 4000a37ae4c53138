package volsh.upkeep.dump;

import java.io.IOException;

/** That is no dump, or not a whole one, or one that no volume can have. */
public final class DumpRefusedException extends IOException {
    DumpRefusedException(String message) {
        super(message);
    }
}
