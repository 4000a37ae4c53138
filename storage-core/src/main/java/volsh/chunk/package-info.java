/**
 * File range to extents to blocks and back: {@link volsh.chunk.Chunks} keeps one {@link volsh.chunk.FileState} per open
 * inode, which buffers writes off-heap, uploads blocks before it commits their extents, and reads what both say. Knows
 * stores and codecs; of the metadata only {@link volsh.fs.FileTable}.
 *
 * <h2>The read path</h2>
 * <pre>
 * FileState ─▶ FileRead ─┬─▶ Windows                                     unwritten bytes of the range
 *                        ├─▶ ExtentView, else FileTable.content          its extents, and the row of each block
 *                        └─▶ FrameReads ─▶ FrameCache                    frames in memory
 *                               └─▶ FrameSet ─▶ BlockReader              runs of frames that are missing there
 *                                                   └─▶ Fetched ─┬─▶ StoredFrames ─▶ DiskTier     from local disks
 *                                                                └─▶ ReadRecovery ─▶ BlockStore   the others
 * </pre>
 *
 * <p>A {@code FileRead} first takes the buffers of unwritten bytes that overlap (an {@code Overlay}), then reads what
 * lies below, then copies the unwritten bytes over it; if the file was truncated in between it starts over. Extents say
 * which bytes of which blocks lie below; several blocks are read in parallel. From there on, {@code FrameReads} tells
 * the story. {@code ReadsInFlight} keeps the blocks that a read may have seen from being deleted under it.
 *
 * <p><b>Where bytes are copied.</b> A get or a disk fills the slab (1). Checking and decoding moves them to the cache's
 * frame, or, without a cache, to the caller's memory (2; a heap buffer costs one more copy). From the frame they are
 * copied to the caller (3), unless they are lent: then the kernel takes them from the frame, which saves 3, or from the
 * slab if they are stored uncompressed, which saves 2 and 3. Frames for the disk tier are copied to it when the slab is
 * given back.
 */
@NullMarked
package volsh.chunk;

import org.jspecify.annotations.NullMarked;
