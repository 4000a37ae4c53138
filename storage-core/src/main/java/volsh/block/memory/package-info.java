/** A block store on the heap, for tests, benchmarks and {@code mem://} volumes. Nothing survives the process. */
@NullMarked
package volsh.block.memory;

import org.jspecify.annotations.NullMarked;
