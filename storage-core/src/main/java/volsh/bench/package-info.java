/**
 * Measures storage the way a job uses it: a crew of threads repeats one operation on a directory or a store, and every
 * operation's duration goes into a histogram. Nothing here knows volumes: the same bench runs on a mount, a disk and
 * NFS.
 */
@NullMarked
package volsh.bench;

import org.jspecify.annotations.NullMarked;
