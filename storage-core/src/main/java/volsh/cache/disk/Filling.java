package volsh.cache.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import volsh.cache.EvictionPolicy;
import volsh.disk.Disk;

/**
 * Writes frames to a cache directory and evicts blocks for them: for the quota only blocks that the {@link
 * EvictionPolicy} permits, for the free space of the disk any; never pinned ones. Fills run one at a time; drops at any
 * time.
 */
final class Filling {
    private static final int SAMPLE = 8;
    /** The sample size for requests with a claim, which search harder. */
    private static final int CLAIM_SAMPLE = 64;
    private static final int EVICTIONS_MAX = 64;
    /** The part of the quota, as a divisor, for blocks that were loaded ahead against the policy. */
    private static final int PASSING_PART = 4;

    private final BlockFiles files;
    private final OpenBlocks open;
    private final Population population;
    private final CacheSpace room;
    private final Pins pins;
    private final EvictionPolicy policy;
    private final RandomGenerator random;
    private final CacheDiskHealth health;
    private final LongSupplier clock;
    private final InstantSource wall;
    private final Deque<Passing> passing = new ArrayDeque<>();
    private long passingBytes;
    private volatile long quota;
    private final LongAdder kept = new LongAdder();
    private final LongAdder skipped = new LongAdder();
    private final LongAdder evictions = new LongAdder();
    private final LongAdder damaged = new LongAdder();

    Filling(BlockFiles files, OpenBlocks open, Population population, Pins pins, CacheSpace room, EvictionPolicy policy,
            RandomGenerator random, CacheDiskHealth health, LongSupplier clock, InstantSource wall) {
        this.files = files;
        this.open = open;
        this.population = population;
        this.pins = pins;
        this.room = room;
        this.quota = room.quotaBytes();
        this.policy = policy;
        this.random = random;
        this.health = health;
        this.clock = clock;
        this.wall = wall;
    }

    /**
     * A block that was loaded ahead of its reader although the policy would have kept others instead, with its size at
     * that time.
     */
    private record Passing(CachedBlock block, long size) {}

    /** Writes the frames, if the policy makes space for them, or if they are pinned. */
    void fill(Fill fill) {
        fill(fill, pins.contains(fill.block()) ? KeepRequest.FOR_A_PIN : null);
    }

    /** The same with a claim; tries again if the block is dropped at the same time. */
    RetainedFrames keep(Fill fill, KeepRequest claim) {
        var kept = fill(fill, claim);
        return kept == RetainedFrames.NO_DISK && health.isUp() ? fill(fill, claim) : kept;
    }

    /** Without a claim (null) the policy decides. */
    private RetainedFrames fill(Fill fill, @Nullable KeepRequest claim) {
        var block = population.findOrAdd(fill.block(), clock.getAsLong());
        boolean room = false;
        boolean done = false;
        long evictedBefore = evictions.sum();
        try {
            room = makeRoom(BlockFile.dataStart(fill.frameCount()) + fill.room(), block, claim);
            done = room && write(block, fill);
            if (done) {
                health.worked();
                mark(block, claim, evictions.sum() > evictedBefore);
            }
        } catch (BlockFile.DamagedException rotten) {
            damaged.increment();
            drop(fill.block());
        } catch (IOException failed) {
            failed(failed);
            drop(fill.block());   // the file may be half written
        }
        if (!done) {
            skipped(fill.frames().size());
            forgetEmpty(block);
        }
        return done ? RetainedFrames.YES : health.isUp() && !room ? RetainedFrames.NO_ROOM : RetainedFrames.NO_DISK;
    }

    private void mark(CachedBlock block, @Nullable KeepRequest claim, boolean instead) {
        if (claim != null && claim.ahead()) {
            block.loadedAhead(clock.getAsLong());
            if (instead) {
                passing.add(new Passing(block, block.size()));
                passingBytes += block.size();
            }
        } else if (claim != null) {
            block.touch(clock.getAsLong());
        }
    }

    private void forgetEmpty(CachedBlock block) {
        synchronized (block) {
            if (block.size() == 0) {
                block.leave();
                population.remove(block);
            }
        }
    }

    // ---- writing

    private boolean write(CachedBlock block, Fill fill) throws IOException {
        synchronized (block) {
            if (block.isGone()) {
                return false;
            }
            if (block.size() == 0) {
                create(block, fill);
            } else {
                append(block, fill);
            }
            return true;
        }
    }

    /** Makes the file; readers use it only when its size is known. */
    private void create(CachedBlock block, Fill fill) throws IOException {
        int start = BlockFile.dataStart(fill.frameCount());
        var form = files.form(fill.block());
        var front = ByteBuffer.allocate(start);
        form.putHead(front, fill.frameCount());
        try (var file = files.create(fill.block())) {
            file.write(front.clear(), 0);
            population.resize(block, put(file, form, fill, fill.frames(), start));
        }
        block.bornAt(wall.millis());
    }

    private void append(CachedBlock block, Fill fill) throws IOException {
        var form = files.form(fill.block());
        try (var file = files.edit(fill.block())) {
            var table = form.table(file);
            if (table.length != fill.frameCount()) {
                throw new BlockFile.DamagedException("block %d: a cache file of another shape".formatted(fill.block()));
            }
            long end = Math.max(file.size(), BlockFile.dataStart(fill.frameCount()));
            var missing = fill.frames().stream().filter(part -> table[part.frame()] == null).toList();
            population.resize(block, put(file, form, fill, missing, end));
        } catch (NoSuchFileException deletedByOthers) {
            create(block, fill);
        } finally {
            open.forget(fill.block());
        }
    }

    /** Writes checksums and frames first, then the entries; returns the end of the file. */
    private long put(Disk.File file, BlockFile form, Fill fill, List<Fill.Part> parts, long start) throws IOException {
        var sums = ByteBuffer.allocate(parts.stream().mapToInt(part -> FrameUnits.sumsLength(part.length())).sum());
        long end = start + sums.capacity();
        var entries = new ArrayList<BlockFile.Entry>();
        for (var part : parts) {
            entries.add(BlockFile.sum(fill.part(part), Math.toIntExact(end), sums,
                    Math.toIntExact(start + sums.position())));
            end += part.length();
        }
        file.write(sums.flip(), start);
        writeFrames(file, fill, parts, start + sums.capacity());
        writeEntries(file, form, parts, entries);
        kept.add(parts.size());
        return end;
    }

    private static void writeFrames(Disk.File file, Fill fill, List<Fill.Part> parts, long start) throws IOException {
        if (parts.size() == fill.frames().size()) {
            file.write(fill.bytes().duplicate(), start);
            return;
        }
        long end = start;
        for (var part : parts) {
            file.write(fill.part(part), end);
            end += part.length();
        }
    }

    /** Writes the entries, with one write for each run of them. */
    private static void writeEntries(Disk.File file, BlockFile form, List<Fill.Part> parts,
            List<BlockFile.Entry> entries) throws IOException {
        for (int i = 0; i < parts.size(); ) {
            int first = parts.get(i).frame();
            int last = i;
            while (last + 1 < parts.size() && parts.get(last + 1).frame() == first + last + 1 - i) {
                last++;
            }
            var run = ByteBuffer.allocate(BlockFile.ENTRY * (last - i + 1));
            for (; i <= last; i++) {
                form.putEntry(run, parts.get(i).frame(), entries.get(i));
            }
            file.write(run.flip(), BlockFile.HEAD + (long) BlockFile.ENTRY * first);
        }
    }

    // ---- room

    private boolean makeRoom(long length, CachedBlock spared, @Nullable KeepRequest claim) throws IOException {
        for (int i = 0; population.bytes() + length > quota; i++) {
            var idlest = claim != null && claim.ahead() ? passed(spared)
                    : idlest(claim == null ? SAMPLE : CLAIM_SAMPLE, spared);
            if (length > quota || i >= evictionsMax(claim) || idlest == null || !mayGo(idlest, claim)) {
                return false;
            }
            evict(idlest);
        }
        return spare(length, spared, claim);
    }

    /**
     * A block to evict for one that is loaded ahead: one that was loaded ahead before and has been read since; or,
     * while such blocks take little, the least recently read of the others; null if they take too much. Reading ahead
     * from a list therefore does not evict everything else.
     */
    private @Nullable CachedBlock passed(CachedBlock spared) {
        long overdue = clock.getAsLong() - quota / 2;
        for (var it = passing.iterator(); it.hasNext(); ) {
            var oldest = it.next();
            var block = oldest.block();
            boolean awaited = block.isUnread() && block.touched() >= overdue;
            if (block.isGone() || !awaited && block != spared) {
                it.remove();
                passingBytes -= oldest.size();
                if (!block.isGone() && !pins.contains(block.id())) {
                    return block;
                }
            }
        }
        return passingBytes > quota / PASSING_PART ? null : idlest(CLAIM_SAMPLE, spared);
    }

    private @Nullable CachedBlock idlest(int sample, CachedBlock spared) {
        return population.idlest(random, sample, spared, clock.getAsLong() - quota / 2);
    }

    private boolean mayGo(CachedBlock idlest, @Nullable KeepRequest claim) {
        return claim == null ? policy.mayEvict(clock.getAsLong() - idlest.touched())
                : claim.ahead() || claim.beats(idlest.touched());
    }

    /**
     * The limit of evictions for one fill: a few for frames of readers, which may be offered again; none for requests
     * with a claim.
     */
    private static int evictionsMax(@Nullable KeepRequest claim) {
        return claim == null ? EVICTIONS_MAX : Integer.MAX_VALUE;
    }

    /** Evicts any blocks until the disk has more than its floor free. */
    private boolean spare(long length, CachedBlock spared, @Nullable KeepRequest claim) throws IOException {
        for (int i = 0; room.free().bytes() - length < room.floorBytes(); i++) {
            var idlest = idlest(SAMPLE, spared);
            if (idlest == null || i >= evictionsMax(claim)) {
                return false;
            }
            evict(idlest);
        }
        return true;
    }

    long quota() {
        return quota;
    }

    void resize(long bytes) {
        quota = bytes;
    }

    /** Evicts blocks until the quota, which may be smaller than before, is met, or only pinned blocks are left. */
    void shrink() throws IOException {
        var idlest = population.idlest(random, SAMPLE, null, Long.MAX_VALUE);
        while (population.bytes() > quota && idlest != null) {
            evict(idlest);
            idlest = population.idlest(random, SAMPLE, null, Long.MAX_VALUE);
        }
    }

    private void evict(CachedBlock block) throws IOException {
        remove(block);
        evictions.increment();
    }

    private void remove(CachedBlock block) throws IOException {
        synchronized (block) {
            if (!block.isGone()) {
                delete(block.id());
                block.leave();
                population.remove(block);
            }
        }
    }

    private void delete(long block) throws IOException {
        try {
            files.delete(block);
        } finally {
            open.forget(block);
        }
    }

    /** Forgets a block. A file that cannot be deleted stays; its checksums tell later whether it can be used. */
    void drop(long block) {
        try {
            var known = population.find(block);
            if (known == null) {
                delete(block);
            } else {
                remove(known);
            }
        } catch (IOException failed) {
            failed(failed);
        }
    }

    boolean isUp() {
        return health.isUp();
    }

    void failed(IOException why) {
        health.failed(why);
    }

    void skipped(int frames) {
        skipped.add(frames);
    }

    long kept() {
        return kept.sum();
    }

    long skippedFrames() {
        return skipped.sum();
    }

    long evictions() {
        return evictions.sum();
    }

    long damaged() {
        return damaged.sum();
    }

    long failures() {
        return health.failures();
    }
}
