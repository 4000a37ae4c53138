/**
 * A {@link volsh.engine.MetaEngine} in one SQLite file, the embedded default: no server, several processes on one
 * machine. The only package that knows SQLite and {@code java.sql}.
 */
@NullMarked
package volsh.engine.sqlite;

import org.jspecify.annotations.NullMarked;
