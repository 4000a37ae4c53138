package volsh.command.checkpoint;

import java.util.Locale;

/** The durability that a save waits for. */
enum Until {
    STAGED, STORED, COMMITTED, REPLICATED;

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
