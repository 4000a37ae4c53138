package volsh.command.checkpoint;

import java.util.Locale;

/** How safe a checkpoint is to be. */
enum Until {
    STAGED, STORED, COMMITTED, REPLICATED;

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
