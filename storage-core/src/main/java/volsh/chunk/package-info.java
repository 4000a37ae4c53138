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
 * <p><b>Who asks whom.</b> A {@code FileRead} first takes hold of the buffers of unwritten bytes that overlap (an
 * {@code Overlay}), then reads what lies below, then lays them over it; if the file was cut in between it starts over.
 * Below, extents say which bytes of which blocks; several blocks are read side by side. {@code FrameReads} asks the
 * cache for each frame of a block: it is here, somebody loads it, it is ours to load, or there is no room. Ours are
 * loaded first, and only then others' are waited for, so nobody waits in a circle. Missing frames that lie close to
 * each other are one get ({@link volsh.chunk.StoredBlock#lastOfRun}, also for what the disk tier lacks); frames without
 * room in the cache are read straight to the caller. Whatever fails or is wrong is tried again as
 * {@link volsh.chunk.ReadRecovery} says, the one place where that is decided. Three others watch or step in:
 * {@code Readahead} has the frames ahead of a sequential reader loaded, {@code WholeBlocks} the rest of a block that
 * small reads keep missing, and {@code BlockReader.readPiece} takes a few KiB of a frame from the tier without the
 * rest.
 *
 * <p><b>What is leased.</b> Frames of the cache: a {@code Lease} keeps a frame from being evicted, and belongs to the
 * {@code FrameSet} until the bytes are copied, or to the {@code FrameLoan} until the mount's reply is sent. Room in the
 * cache: who loads a frame alone sees its memory until it is right. A slab: {@code Fetched} holds one from the volume's
 * budget while stored frames are in it; without a cache it may be lent on, at most half of the budget at a time.
 * Buffers of unwritten bytes: retained by the {@code Overlay}. Rows and blocks: {@code ReadsInFlight} keeps blocks that
 * a read may have seen from being deleted under it. Whoever takes one closes it.
 *
 * <p><b>Where bytes are copied.</b> A get or a disk fills the slab (1). Checking and decoding moves them to the cache's
 * frame, or, without a cache, to the caller's memory (2; a heap buffer costs one more). From the frame to the caller
 * (3), unless they are lent: then the kernel takes them from the frame, or from the slab if compression left them as
 * they were, and 3, or 2 and 3, do not happen. Frames for the disk tier are copied to it once more when the slab is
 * given back.
 */
package volsh.chunk;
