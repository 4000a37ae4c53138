/** Commands that go back in time: snapshots, what changed, bringing back what is gone, copies of trees that share their data. */
package volsh.command.snapshot;
