package volsh.place;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import volsh.block.BlockKey;
import volsh.block.BlockStore;
import volsh.block.NoSuchBlockException;
import volsh.block.PutsOnce;
import volsh.block.UnavailableException;
import volsh.place.PlacementRecords.Located;

/**
 * All stores of a volume as one. Blocks lie as their arrangements say, shipped metadata in a given store; everything
 * else (marks, packs) is in the first store.
 *
 * <p>A put writes to all stores of the block at once, and returns when enough have their parts and the others have
 * answered too, or hang: missing parts are {@link PlacementRecords#missing recorded} by then. Stores that are down are
 * skipped. A get reads from as few as possible.
 */
public final class PlacedStore implements BlockStore, PutsOnce, Placement {
    private static final Logger LOG = System.getLogger("volsh.place");

    static final String METADATA = "meta/";
    private static final Duration RETRY = Duration.ofMillis(100);

    private final PlacementRecords ledger;
    private final Delays delays;
    private final @Nullable BlockStore metadata;   // null: in the first store
    private final StoreThreads crew = new StoreThreads();
    private final Members members;
    private final Arrangements arrangements;
    private final MirrorReads copies;
    private final Shards shards;
    private final Scratch scratch = new Scratch();
    private final BlockRepair repair;
    private final Puts puts;
    private final AtomicInteger waiting = new AtomicInteger();   // reads and writes of blocks in progress
    private final Set<Integer> incomplete = ConcurrentHashMap.newKeySet();   // stores already warned about

    /** {@code standard} is the policy of files whose directories set none. */
    public PlacedStore(PlacementRecords ledger, Members.Source source, Supplier<LayoutPolicy> standard)
            throws IOException {
        this(ledger, source, standard, Delays.STANDARD, null);
    }

    /** Like the other constructor, with metadata in a store of its own, which this closes. */
    public PlacedStore(PlacementRecords ledger, Members.Source source, Supplier<LayoutPolicy> standard,
            BlockStore metadata) throws IOException {
        this(ledger, source, standard, Delays.STANDARD, metadata);
    }

    PlacedStore(PlacementRecords ledger, Members.Source source, Supplier<LayoutPolicy> standard, Delays delays,
            @Nullable BlockStore metadata) throws IOException {
        this.metadata = metadata;
        this.ledger = ledger;
        this.delays = delays;
        this.members = new Members(source, crew, delays);
        this.arrangements = new Arrangements(ledger, members, standard);
        this.copies = new MirrorReads(members, crew, scratch);
        this.shards = new Shards(members, crew, scratch);
        this.repair = new BlockRepair(ledger, members, arrangements, shards, scratch, crew, delays.look());
        this.puts = new Puts(members, crew, delays);
    }

    public Members members() {
        return members;
    }

    /** Whether a read or write of a block is in progress: background maintenance then yields. */
    public boolean isAwaited() {
        return waiting.get() > 0;
    }

    /** Checks, repairs and moves blocks. */
    public BlockRepair repair() {
        return repair;
    }

    /** A request to a store. */
    public interface Question {
        void ask(Member member) throws IOException;
    }

    /** Sends a request to all stores at once, and returns the failures, including stores that time out. */
    public Map<Member, IOException> ask(Duration time, Question question) throws IOException {
        var all = members.all();
        var tasks = new ArrayList<Callable<@Nullable Void>>();
        for (var member : all) {
            tasks.add(() -> {
                question.ask(member);
                return null;
            });
        }
        var failures = new LinkedHashMap<Member, IOException>();
        var outcomes = crew.within(time, tasks);
        for (int i = 0; i < outcomes.size(); i++) {
            var failure = outcomes.get(i).failure();
            if (outcomes.get(i).late()) {
                failures.put(all.get(i), new UnavailableException("store %s timed out: no answer for %d s"
                        .formatted(all.get(i), time.toSeconds()), failure));
            } else if (failure != null) {
                failures.put(all.get(i), failure);
            }
        }
        return failures;
    }

    // ---- what is decided

    @Override
    public boolean isSingle() {
        return false;
    }

    @Override
    public int blockSize(long ino, int volumes) throws IOException {
        return arrangements.policyOf(ino).blockSize(volumes);
    }

    @Override
    public int policy(long ino) throws IOException {
        return ledger.policy(ino);
    }

    @Override
    public int choose(long ino, long offset, int stored) throws IOException {
        return arrangements.number(arrangements.choose(arrangements.policyOf(ino), ino, offset, stored));
    }

    @Override
    public boolean mend(long block, Check check) throws IOException {
        return repair.mend(block, check).isRight();
    }

    // ---- reading

    @Override
    public int get(BlockKey key, long offset, ByteBuffer target) throws IOException {
        if (key.block().isEmpty()) {
            return other(key.text()).get(key, offset, target);
        }
        waiting.incrementAndGet();
        try {
            return patientGet(key, offset, target);
        } finally {
            waiting.decrementAndGet();
        }
    }

    /** Reads a block wherever it is now, and waits out a moment in which too few stores answer, like puts do. */
    private int patientGet(BlockKey key, long offset, ByteBuffer target) throws IOException {
        int start = target.position();
        long begin = System.nanoTime();
        long block = key.block().getAsLong();
        var located = arrangements.likely(key).orElse(Located.FIRST);
        while (true) {
            try {
                return get(block, located, offset, target.position(start));
            } catch (IOException failed) {
                var now = arrangements.current(key).orElse(located);
                if (now.equals(located)) {   // otherwise it was moved meanwhile
                    pauseOrGiveUp(block, located, begin, failed);
                }
                located = now;
            }
        }
    }

    private void pauseOrGiveUp(long block, Located located, long begin, IOException failed) throws IOException {
        boolean answered = failed instanceof NoSuchBlockException || failed instanceof LostBlockException
                || failed instanceof InterruptedIOException;
        if (answered || System.nanoTime() - begin >= delays.needed().toNanos() || !mayBeRead(block, located, failed)) {
            throw failed;
        }
        try {
            Thread.sleep(RETRY);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw failed;
        }
    }

    /** Whether enough stores have their parts, or have not been down for long. Striped reads have already waited. */
    private boolean mayBeRead(long block, Located located, IOException failed) throws IOException {
        var arrangement = arrangements.arrangement(located.arrangement());
        if (arrangement.layout().losses() == 0) {
            return false;
        }
        long gone = Stream.concat(Stream.ofNullable(failed.getCause()), Stream.of(failed.getSuppressed()))
                .filter(NoSuchBlockException.class::isInstance).count();
        for (var part : arrangement.parts(block)) {
            gone += members.of(part.store()).health().isAwayFor(delays.needed()) ? 1 : 0;
        }
        return gone <= arrangement.layout().losses();
    }

    private int get(long block, Located located, long offset, ByteBuffer target) throws IOException {
        var arrangement = arrangements.arrangement(located.arrangement());
        var parts = arrangement.parts(block);
        try {
            return get(block, located, arrangement.layout(), parts, offset, target);
        } catch (NoSuchBlockException gone) {
            throw gone.stores().isPresent() ? gone : gone.in(storesOf(parts));
        }
    }

    private String storesOf(List<Part> parts) throws IOException {
        var names = new ArrayList<String>();
        for (var part : parts) {
            names.add(members.of(part.store()).name());
        }
        return (names.size() == 1 ? "store " : "stores ") + String.join(", ", names);
    }

    private int get(long block, Located located, Layout layout, List<Part> parts, long offset, ByteBuffer target)
            throws IOException {
        return switch (layout) {
            case Layout.Striped _ -> members.of(parts.getFirst().store())
                    .get(parts.getFirst().key(block), offset, target);
            case Layout.Mirrored _ -> {
                var read = copies.get(block, parts, offset, target);
                notice(block, read.lacking());
                yield read.count();
            }
            case Layout.ErasureCoded code -> {
                var lacking = new ArrayList<Integer>();
                int count = shards.get(block, code, parts, located.stored(), offset, target, lacking);
                notice(block, lacking);
                yield count;
            }
        };
    }

    /** Records stores that turned out to lack their part, for heal to find. */
    private void notice(long block, Collection<Integer> found) {
        var lacking = new TreeSet<>(found);
        if (!lacking.isEmpty()) {
            crew.execute(() -> {
                try {
                    ledger.missing(block, lacking);
                    boolean warned = !incomplete.addAll(lacking);
                    LOG.log(warned ? Level.DEBUG : Level.WARNING, ("block %016x is missing from %s; "
                            + "it was read from the others (run 'volsh heal' to repair it)")
                            .formatted(block, names(lacking)));
                } catch (IOException | RuntimeException unwritten) {
                    LOG.log(Level.DEBUG, "missing parts could not be recorded", unwritten);   // scrub finds it
                }
            });
        }
    }

    // ---- writing

    @Override
    public void put(BlockKey key, ByteBuffer data) throws IOException {
        if (key.block().isEmpty()) {
            other(key.text()).put(key, data);
            return;
        }
        waiting.incrementAndGet();
        try {
            putBlock(key, data);
        } finally {
            waiting.decrementAndGet();
        }
    }

    /** A staged block may have been moved before it is put: if it has a row, the row decides. */
    private void putBlock(BlockKey key, ByteBuffer data) throws IOException {
        long block = key.block().getAsLong();
        var located = arrangements.current(key)
                .orElseThrow(() ->
                        new IOException("metadata corrupt: no row for block %016x, and its key does not name its stores"
                        .formatted(block)));
        var arrangement = arrangements.arrangement(located.arrangement());
        var parts = arrangement.parts(block);
        switch (arrangement.layout()) {
            case Layout.Striped _ -> putWhole(block, parts.getFirst(), data);
            case Layout.Mirrored _ -> {
                // a store that hangs may keep reading it
                var copy = scratch.take(data.remaining()).put(data.duplicate()).flip();
                putAll(block, arrangement, parts.stream().map(_ -> copy).toList(), () -> scratch.giveBack(copy));
            }
            case Layout.ErasureCoded layout -> {
                var cut = shards.cut(block, layout, data);
                putAll(block, arrangement, cut.objects(), () -> shards.release(cut));
            }
        }
    }

    private void putWhole(long block, Part part, ByteBuffer data) throws IOException {
        var member = members.of(part.store());
        try {
            member.put(part.key(block), data);
        } catch (InterruptedIOException stopped) {
            throw stopped;
        } catch (IOException failed) {
            throw new UnavailableException("store %s cannot store block %016x, and its layout has no other store: %s"
                    .formatted(member, block, failed.getMessage()), failed);
        }
    }

    private void putAll(long block, Arrangement arrangement, List<ByteBuffer> objects, Runnable release)
            throws IOException {
        var lacking = puts.run(block, arrangement, objects, release);
        if (!lacking.isEmpty()) {
            ledger.missing(block, lacking);
        }
    }

    private String names(Collection<Integer> stores) throws IOException {
        var names = new ArrayList<String>();
        for (int store : stores) {
            names.add(members.of(store).toString());
        }
        return (names.size() == 1 ? "store " : "stores ") + String.join(", ", names);
    }

    @Override
    public boolean putIfAbsent(BlockKey key, ByteBuffer data) throws IOException {
        return PutsOnce.of(other(key.text())).putIfAbsent(key, data);
    }

    // ---- deleting and listing

    @Override
    public void delete(BlockKey key) throws IOException {
        deleteAll(List.of(key));
    }

    @Override
    public void deleteAll(List<BlockKey> keys) throws IOException {
        var objects = new TreeMap<Integer, List<BlockKey>>();
        for (var key : keys) {
            if (key.block().isEmpty()) {
                other(key.text()).delete(key);
                continue;
            }
            long block = key.block().getAsLong();
            var located = arrangements.current(key).orElse(Located.FIRST);
            for (var part : arrangements.arrangement(located.arrangement()).parts(block)) {
                if (members.has(part.store())) {
                    objects.computeIfAbsent(part.store(), _ -> new ArrayList<>()).add(part.key(block));
                }
            }
        }
        var tasks = new ArrayList<Callable<@Nullable Void>>();
        for (var each : objects.entrySet()) {
            var member = members.of(each.getKey());
            tasks.add(() -> {
                member.deleteAll(each.getValue());
                return null;
            });
        }
        for (var outcome : crew.all(tasks)) {
            if (outcome.failure() != null) {
                throw outcome.failure();
            }
        }
    }

    /** Every block once, however many stores have parts of it; fails if one of the stores does not answer. */
    @Override
    public Stream<Listed> list(String prefix) throws IOException {
        return new PlacedListing(members, ledger, metadata).open(prefix);
    }

    /** The store of objects other than blocks. */
    private BlockStore other(String name) throws IOException {
        return name.startsWith(METADATA) && metadata != null ? metadata : members.of(1).store();
    }

    @Override
    public void close() throws IOException {
        try (members; metadata) {
            crew.close();
        }
    }

    /** A short description of each store that is not up, for a status line. */
    public List<String> troubles() {
        return members.opened().stream()
                .filter(each -> each.health().state() != StoreHealth.State.UP)
                .map(each -> "store %s is %s".formatted(each, each.health().state().name().toLowerCase(Locale.ROOT)))
                .toList();
    }
}
