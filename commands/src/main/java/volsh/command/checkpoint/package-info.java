/** Checkpoints of training runs: saving, finding, checking, restoring and thinning them out. */
package volsh.command.checkpoint;
