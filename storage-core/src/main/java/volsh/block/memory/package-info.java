/** A block store on the heap, for tests, benchmarks and {@code mem://} volumes. Nothing survives the process. */
package volsh.block.memory;
