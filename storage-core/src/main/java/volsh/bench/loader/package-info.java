/**
 * A DataLoader that is none: workers read samples of a dataset in batches (a file each, tar shards, record files, or places in a large file), and GPUs
 * that do not exist take them. Datasets can be made here, with samples such as published benchmarks have.
 */
@NullMarked
package volsh.bench.loader;

import org.jspecify.annotations.NullMarked;
