/** The parts of which a volume is put together: engines, stores as one, shipping of metadata, caches. */
@NullMarked
package volsh.assembly;

import org.jspecify.annotations.NullMarked;
