/** The journals of a volume that is open for writing: its own, and those that dead processes left. */
package volsh.writeback;
