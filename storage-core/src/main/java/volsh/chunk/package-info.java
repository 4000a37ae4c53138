/**
 * File range to extents to blocks and back: {@link volsh.chunk.Chunks} keeps one {@link volsh.chunk.FileState} per open
 * inode, which buffers writes off-heap, uploads blocks before it commits their extents, and reads what both say. Knows
 * stores and codecs; of the metadata only {@link volsh.fs.FileTable}.
 */
package volsh.chunk;
