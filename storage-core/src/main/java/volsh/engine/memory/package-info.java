/**
 * A {@link volsh.engine.MetaEngine} on the heap, for tests and simulation: optimistic on purpose, as an engine across a
 * network is, so that whatever runs above it meets conflicts and reruns. Starts no threads.
 */
@NullMarked
package volsh.engine.memory;

import org.jspecify.annotations.NullMarked;
