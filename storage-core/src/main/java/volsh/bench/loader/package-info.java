/**
 * A simulated DataLoader: workers read samples of a dataset in batches (a file per sample, tar shards, record files, or
 * offsets in a large file), and simulated GPUs take them. Can also generate datasets, with samples like those of
 * published benchmarks.
 */
@NullMarked
package volsh.bench.loader;

import org.jspecify.annotations.NullMarked;
