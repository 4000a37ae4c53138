/** Commands for snapshots, history, undelete, and clones that share data. */
package volsh.command.snapshot;
