/**
 * Measures storage the way a job uses it: a crew of threads repeats one operation on a directory or a store, and every
 * operation's time is kept in a histogram. Nothing here knows what a volume is: the same bench runs on a mount, a disk and NFS.
 */
@NullMarked
package volsh.bench;

import org.jspecify.annotations.NullMarked;
