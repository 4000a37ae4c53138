package volsh.catalog;

import java.lang.System.Logger;

/** What this package logs. Asked for only when it is used: the first logger opens every jar of the class path, and every command that opens a volume would wait for that. */
public final class Log {
    public static final Logger LOG = System.getLogger("volsh.volume");

    private Log() {}
}
