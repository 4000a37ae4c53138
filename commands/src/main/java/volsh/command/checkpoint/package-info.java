/** Commands that save, find, verify, restore and prune checkpoints of training runs. */
package volsh.command.checkpoint;
