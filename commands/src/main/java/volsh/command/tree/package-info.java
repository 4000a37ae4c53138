/** The whole program as one tree: every command, the words they understand, and live names for completion. */
package volsh.command.tree;
