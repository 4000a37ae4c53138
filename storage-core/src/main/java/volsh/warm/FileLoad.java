package volsh.warm;

import java.io.IOException;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.Map;
import volsh.cache.disk.RetainedFrames;
import volsh.chunk.Caches;
import volsh.chunk.TierLoad;
import volsh.fs.Attributes;
import volsh.fs.BlockRow;
import volsh.fs.Extent;
import volsh.vfs.Vfs;

/** Loads one file ahead of its reader: into memory, and into the cache directories if it does not fit there. */
final class FileLoad {
    private final Vfs vfs;
    private final Caches caches;
    private final TierLoad tier;

    FileLoad(Vfs vfs, Caches caches, TierLoad tier) {
        this.vfs = vfs;
        this.caches = caches;
        this.tier = tier;
    }

    /** Loads the file; false if not all of it fits. */
    boolean load(Attributes file) throws IOException {
        return caches.prefetch(file.ino()) == 0 || !caches.directories().isEmpty() && toDisk(file);
    }

    private boolean toDisk(Attributes file) throws IOException {
        Map<BlockRow, BitSet> blocks = new LinkedHashMap<>();
        new FileBlocks(vfs).file(file, new FileBlocks.Visitor() {
            @Override
            public void found(long ino, Extent part, BlockRow block) throws IOException {
                blocks.computeIfAbsent(block, first -> new BitSet())
                        .or(tier.frames(block, part.offset(), part.offset() + part.length()));
            }

            @Override
            public void ended(Attributes ended, long unstored) {}
        });
        var claim = caches.requests().claim(true);
        for (var block : blocks.entrySet()) {
            if (tier.load(block.getKey(), block.getValue(), claim, bytes -> { }).kept() != RetainedFrames.YES) {
                return false;
            }
        }
        return true;
    }
}
