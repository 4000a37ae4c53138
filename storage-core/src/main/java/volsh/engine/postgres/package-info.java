/**
 * A {@link volsh.engine.MetaEngine} in a PostgreSQL database, for volumes shared by machines: reads without locks, one
 * round trip for a commit, which a function in the database checks and writes. Knows {@code java.sql} and PostgreSQL's
 * driver, and is loaded by the first volume that needs it.
 */
@NullMarked
package volsh.engine.postgres;

import org.jspecify.annotations.NullMarked;
