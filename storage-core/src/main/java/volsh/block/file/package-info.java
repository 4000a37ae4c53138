/** A block store in a directory: one file per block, complete or absent, and durable once put. */
package volsh.block.file;
