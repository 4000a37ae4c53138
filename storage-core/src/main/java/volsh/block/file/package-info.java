/** A block store in a directory: one file per block, there whole or not at all, and there after power loss once put. */
package volsh.block.file;
