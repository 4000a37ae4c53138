package volsh.pack;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import volsh.block.BlockStore;
import volsh.block.NoSuchBlockException;
import volsh.codec.BlockCodec;
import volsh.codec.BlockIdentity;
import volsh.codec.FrameEncryption;
import volsh.codec.CorruptBlockException;
import volsh.codec.FrameIndex;
import volsh.fs.BlockRow;
import volsh.inventory.Packs;
import volsh.volume.Volume;

/**
 * Gives back the room of blocks that have gone from packs which others still need: what is left of packs that are
 * mostly empty is copied to new ones, together, and the old ones are deleted. Blocks that were packed and never
 * committed, because their process was killed in between, are taken out first.
 *
 * <p>Blocks keep their ids, so no file, clone or historic row changes. The order is that of packing: a new pack is
 * announced, stored, and then one transaction says of each block that it lies there, unless it has gone or moved
 * meanwhile. An old pack is deleted only when that can no longer come undone, by power loss or, where metadata is
 * shipped, by the loss of this host. So it may be killed anywhere, and run beside mounts that read, write and delete.
 * Every block is checked before it is moved; one that is damaged stays where it is, and is counted.
 *
 * <p>{@code volume compact} and the like get one from {@link Volume#packCompaction}.
 */
public final class PackCompaction {
    /** A pack of which less than this is in use is worth moving. */
    public static final int USED_PERCENT = 50;

    /** The id of no journal: packs that it announced and did not place may be deleted by any process. */
    private static final UUID MAKER = new UUID(0, 0);
    private static final int ROOM = 4 << 20;
    /** Blocks that are moved for one look at all packs; where they lie is in memory. */
    private static final int BLOCKS_AT_A_TIME = 100_000;

    private final UUID volume;
    private final Packs packs;
    private final PackedStore packed;
    private final BlockStore store;
    private final Reclaimer.Durable durable;
    private final int atATime;

    public PackCompaction(UUID volume, Packs packs, PackedStore packed, Reclaimer.Durable durable) {
        this(volume, packs, packed, durable, BLOCKS_AT_A_TIME);
    }

    /** A compaction that moves about this many blocks for one look at all packs. */
    public PackCompaction(UUID volume, Packs packs, PackedStore packed, Reclaimer.Durable durable, int atATime) {
        this(volume, packs, packed, packed.delegate(), durable, atATime);
    }

    private PackCompaction(UUID volume, Packs packs, PackedStore packed, BlockStore store, Reclaimer.Durable durable,
            int atATime) {
        this.volume = volume;
        this.packs = packs;
        this.packed = packed;
        this.store = store;
        this.durable = durable;
        this.atATime = atATime;
    }

    /** The same with another idea of what cannot come undone. */
    PackCompaction with(Reclaimer.Durable other) {
        return new PackCompaction(volume, packs, packed, store, other, atATime);
    }

    /** The same over a store that is wrapped. */
    PackCompaction over(UnaryOperator<BlockStore> wrap) {
        return new PackCompaction(volume, packs, packed, wrap.apply(store), durable, atATime);
    }

    /**
     * What there is, or what was done: packs that were looked at and their bytes, those that are worth moving, what of
     * them is in use, blocks that were never committed, and damaged ones.
     */
    public record Report(long packs, long bytes, long sparse, long sparseBytes, long usedBytes, long lostBlocks,
            long damagedBlocks) {
        /** What moving them gives back. */
        public long freed() {
            return sparseBytes - usedBytes;
        }
    }

    /** What lies in a pack: its own bytes, those of its blocks, and how many these are. */
    private record Content(long size, long used, int blocks) {
        boolean isSparse() {
            return used * 100 < size * USED_PERCENT;
        }
    }

    private record Placed(long block, Packs.Place place) {}

    /** Says what {@link #run} would do; changes nothing. */
    public Report look() throws IOException {
        return report(contents(new HashSet<>()), lost().size(), 0);
    }

    /** Does it, until nothing is left to do or {@code cancelled} says so; then what was done stays. */
    public Report run(BooleanSupplier cancelled) throws IOException {
        drop(packs.left(maker -> !maker.equals(MAKER)));   // what one that was killed has begun
        var lost = lost();
        takeOut(lost);
        var damaged = new HashSet<Long>();
        var done = contents(damaged);
        for (var left = done; !cancelled.getAsBoolean() && left.values().stream().anyMatch(Content::isSparse);
                left = contents(damaged)) {
            long before = damaged.size();
            if (move(sparsest(left), damaged, cancelled) == 0 && damaged.size() == before) {
                break;
            }
        }
        return report(done, lost.size(), damaged.size());
    }

    private static Report report(Map<Long, Content> all, long lost, long damaged) {
        var sparse = all.values().stream().filter(Content::isSparse).toList();
        return new Report(all.size(), all.values().stream().mapToLong(Content::size).sum(), sparse.size(),
                sparse.stream().mapToLong(Content::size).sum(), sparse.stream().mapToLong(Content::used).sum(), lost,
                damaged);
    }

    // ---- blocks that were never committed

    private List<Long> lost() throws IOException {
        var lost = new ArrayList<Long>();
        var batch = new ArrayList<Long>();
        packs.visit((block, _) -> {
            batch.add(block);
            if (batch.size() == Packs.BLOCKS_MAX) {
                lost.addAll(packs.lost(batch));
                batch.clear();
            }
        });
        lost.addAll(packs.lost(batch));
        return lost;
    }

    private void takeOut(List<Long> blocks) throws IOException {
        for (int from = 0; from < blocks.size(); from += Packs.BLOCKS_MAX) {
            drop(packs.remove(blocks.subList(from, Math.min(blocks.size(), from + Packs.BLOCKS_MAX))));
        }
    }

    private void drop(List<Long> empty) throws IOException {
        if (!empty.isEmpty()) {
            durable.await();
        }
        packed.drop(empty);
    }

    // ---- packs that are mostly empty

    /** The packs that the store has and blocks lie in, but for those with a block that cannot be moved. */
    private Map<Long, Content> contents(Set<Long> damaged) throws IOException {
        var used = new HashMap<Long, Long>();
        var blocks = new HashMap<Long, Integer>();
        var stuck = new HashSet<Long>();
        packs.visit((block, place) -> {
            used.merge(place.pack(), (long) place.length(), Long::sum);
            blocks.merge(place.pack(), 1, Integer::sum);
            if (damaged.contains(block)) {
                stuck.add(place.pack());
            }
        });
        var contents = new LinkedHashMap<Long, Content>();
        try (var listed = store.list(PackWindows.PREFIX)) {
            for (var each : (Iterable<BlockStore.Listed>) listed::iterator) {
                var pack = PackWindows.number(each.key());
                if (pack.isPresent() && used.containsKey(pack.getAsLong()) && !stuck.contains(pack.getAsLong())) {
                    long number = pack.getAsLong();
                    contents.put(number,
                            new Content(each.size(), used.getOrDefault(number, 0L), blocks.getOrDefault(number, 0)));
                }
            }
        } catch (java.io.UncheckedIOException failed) {
            throw failed.getCause();
        }
        return contents;
    }

    /** Those with the least in use, as long as they have no more blocks than are moved at a time; one at least. */
    private Set<Long> sparsest(Map<Long, Content> contents) {
        var sparse = contents.entrySet().stream().filter(each -> each.getValue().isSparse())
                .sorted(Comparator.comparingDouble(each -> (double) each.getValue().used() / each.getValue().size()))
                .toList();
        var chosen = new HashSet<Long>();
        long blocks = 0;
        for (var each : sparse) {
            blocks += each.getValue().blocks();
            if (blocks > atATime && !chosen.isEmpty()) {
                break;
            }
            chosen.add(each.getKey());
        }
        return chosen;
    }

    /** Moves what lies in these packs; returns how many blocks were. */
    private long move(Set<Long> from, Set<Long> damaged, BooleanSupplier cancelled) throws IOException {
        var all = new ArrayList<Placed>();
        packs.visit((block, place) -> {
            if (from.contains(place.pack())) {
                all.add(new Placed(block, place));
            }
        });
        all.sort(Comparator.<Placed>comparingLong(each -> each.place().pack())
                .thenComparingLong(each -> each.place().offset()));
        long moved = 0;
        for (int next = 0; next < all.size() && !cancelled.getAsBoolean(); ) {
            int end = next;
            long length = 0;
            while (end < all.size() && end - next < Packs.BLOCKS_MAX
                    && (end == next || length + all.get(end).place().length() <= ROOM)) {
                length += all.get(end).place().length();
                end++;
            }
            moved += moveTogether(all.subList(next, end), Math.toIntExact(length), damaged);
            next = end;
        }
        return moved;
    }

    private long moveTogether(List<Placed> blocks, int length, Set<Long> damaged) throws IOException {
        var rows = packs.rows(blocks.stream().map(Placed::block).toList());
        var together = ByteBuffer.allocateDirect(length);
        long pack = packs.announce(MAKER);
        var moves = new ArrayList<Packs.Move>();
        try (var codec = new BlockCodec(FrameEncryption.UNREAD)) {
            for (var each : blocks) {
                int at = together.position();
                if (rows.containsKey(each.block()) && copy(each, rows.get(each.block()), together, codec)) {
                    moves.add(new Packs.Move(each.block(), each.place(),
                            new Packs.Place(pack, at, each.place().length())));
                } else if (rows.containsKey(each.block())
                        && packs.find(each.block()).equals(Optional.of(each.place()))) {
                    damaged.add(each.block());
                }
            }
        }
        if (!moves.isEmpty()) {
            store.put(PackWindows.key(pack), together.flip());
        }
        int moved = packs.move(pack, moves).size();
        var perhaps = new HashSet<Long>(Set.of(pack));   // if nothing came to lie in it
        blocks.forEach(each -> perhaps.add(each.place().pack()));
        drop(packs.empty(perhaps));
        return moved;
    }

    /** Appends the block, if it is what was written; tries twice. */
    private boolean copy(Placed each, BlockRow row, ByteBuffer together, BlockCodec codec) throws IOException {
        for (int attempt = 1; attempt <= 2; attempt++) {
            int start = together.position();
            var target = together.slice(start, each.place().length());
            int count = get(each.place(), target);
            if (count == each.place().length() && isRight(row, target.flip(), codec)) {
                together.position(start + count);
                return true;
            }
        }
        return false;
    }

    /** Nothing, if the pack is gone: then so is the block, or it lies elsewhere by now. */
    private int get(Packs.Place place, ByteBuffer target) throws IOException {
        try {
            return store.get(PackWindows.key(place.pack()), place.offset(), target);
        } catch (NoSuchBlockException gone) {
            return -1;
        }
    }

    private boolean isRight(BlockRow row, ByteBuffer stored, BlockCodec codec) {
        var identity = new BlockIdentity(volume, row.id());
        try {
            var index = FrameIndex.parse(row.index());
            BlockCodec.headLength(identity, stored.duplicate());
            codec.check(identity, index, 0, index.frameCount() - 1,
                    stored.slice(index.storedOffset(0), stored.limit() - index.storedOffset(0)));
            return true;
        } catch (CorruptBlockException | IndexOutOfBoundsException | IllegalArgumentException wrong) {
            return false;
        }
    }
}
