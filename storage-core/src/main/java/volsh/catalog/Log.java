package volsh.catalog;

import java.lang.System.Logger;

/**
 * The logger of this package. Made when it is first used: the first logger opens every jar of the class path, and every
 * command would wait for that.
 */
public final class Log {
    public static final Logger LOG = System.getLogger("volsh.volume");

    private Log() {}
}
