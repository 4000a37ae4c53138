package volsh.upkeep;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import volsh.engine.MetaEngine;
import volsh.engine.MetaKey;
import volsh.fs.ImportedBlock;
import volsh.inventory.Row;
import volsh.meta.NodeRow;

/** Statistics of a volume, from one pass over all its rows. While the volume is in use, the numbers are approximate. */
public final class Statistics {
    private static final long[] BOUNDS = {0, 4 << 10, 64 << 10, 1 << 20, 16 << 20, 256 << 20, 4L << 30, Long.MAX_VALUE};

    private final MetaEngine engine;
    private long directories;
    private long links;
    private long others;
    private long files;
    private long bytes;
    private long heldBytes;
    private final long[] counts = new long[BOUNDS.length];
    private final long[] sizes = new long[BOUNDS.length];
    private long inlineFiles;
    private long inlineBytes;
    private long extents;
    private long extentsMost;
    private long blocks;
    private long rawBytes;
    private long storedBytes;
    private long importedBlocks;
    private long importedBytes;
    private long packs;
    private long packed;
    private long packedBytes;
    private long versions;
    private long versionBytes;
    private long orphans;
    private long dead;
    private long rows;
    private long rowBytes;

    public Statistics(MetaEngine engine) {
        this.engine = engine;
    }

    /** Files up to a size: how many, and their bytes. */
    public record Bucket(long upTo, long files, long bytes) {}

    /**
     * The numbers. {@code heldBytes} are those of files without holes, {@code rawBytes} those of blocks before
     * compression.
     */
    public record Result(
            long files, long directories, long links, long others, long bytes, long heldBytes, List<Bucket> sizes,
            long inlineFiles, long inlineBytes, long extents, long extentsMost, long blocks, long rawBytes,
            long storedBytes, long importedBlocks, long importedBytes, long packs, long packedBlocks, long packedBytes,
            long versions, long versionBytes,
            long orphans, long deadBlocks, long rows, long rowBytes) {}

    public Result run(Watcher watcher) throws IOException {
        watcher.phase("rows", -1);
        var cursor = new Cursor(engine, MetaKey.of((byte) 0), MetaKey.of((byte) 0xff), watcher);
        long file = 0;
        long ofFile = 0;
        while (cursor.peek() != null) {
            var entry = cursor.next();
            rows++;
            rowBytes += entry.key().bytes().length + entry.value().length;
            if (Row.of(entry) instanceof Row.Run run) {
                ofFile = run.ino() == file ? ofFile + 1 : 1;
                file = run.ino();
                extentsMost = Math.max(extentsMost, ofFile);
            }
            count(Row.of(entry), entry);
        }
        var buckets = new ArrayList<Bucket>();
        for (int i = 0; i < BOUNDS.length; i++) {
            buckets.add(new Bucket(BOUNDS[i], counts[i], sizes[i]));
        }
        return new Result(files, directories, links, others, bytes, heldBytes, buckets, inlineFiles, inlineBytes,
                extents, extentsMost, blocks, rawBytes, storedBytes, importedBlocks, importedBytes, packs, packed,
                packedBytes, versions, versionBytes,
                orphans, dead, rows, rowBytes);
    }

    private void count(Row row, MetaEngine.Entry entry) {
        switch (row) {
            case Row.Node(_, _, NodeRow node) -> count(node);
            case Row.Inline inline -> {
                inlineFiles++;
                inlineBytes += inline.bytes().length;
            }
            case Row.Run _ -> extents++;
            case Row.Block(var block) -> {
                blocks += ImportedBlock.is(block.id()) ? 0 : 1;
                rawBytes += ImportedBlock.is(block.id()) ? 0 : block.rawSize();
                storedBytes += block.ownBytes();
                importedBlocks += ImportedBlock.is(block.id()) ? 1 : 0;
                importedBytes += ImportedBlock.is(block.id()) ? block.rawSize() : 0;
            }
            case Row.Pack _ -> packs++;
            case Row.Place place -> {
                packed++;
                packedBytes += place.length();
            }
            case Row.Version _ -> {
                versions++;
                versionBytes += entry.key().bytes().length + entry.value().length;
            }
            case Row.Orphan _ -> orphans++;
            case Row.Dead _ -> dead++;
            default -> { }
        }
    }

    private void count(NodeRow node) {
        if (node.links() == 0) {
            return;
        }
        switch (node.kind()) {
            case DIRECTORY -> directories++;
            case SYMLINK -> links++;
            case REGULAR -> {
                files++;
                bytes += node.size();
                heldBytes += node.allocated();
                int bucket = 0;
                while (node.size() > BOUNDS[bucket]) {
                    bucket++;
                }
                counts[bucket]++;
                sizes[bucket] += node.size();
            }
            case FIFO, SOCKET, CHARACTER_DEVICE, BLOCK_DEVICE -> others++;
        }
    }
}
