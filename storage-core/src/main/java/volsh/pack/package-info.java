/** Small blocks that share objects of the store: writing, finding, compacting and giving them back. */
package volsh.pack;
