package volsh.place;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import volsh.block.BlockStore;

/**
 * The stores of a volume, by number. Other sessions may add stores while the volume is open: an unknown number is
 * looked up, and the store opened. Thread-safe.
 */
public final class Members implements AutoCloseable {
    private static final long FRESH = Duration.ofSeconds(2).toNanos();

    private final Source source;
    private final StoreThreads crew;
    private final Delays delays;
    private final Map<Integer, Member> open = new TreeMap<>();
    private List<Entry> entries;
    private long listed = System.nanoTime();

    /**
     * A store as the volume knows it.
     *
     * @param pools   its labels
     * @param leaving whether it accepts no new blocks any more
     */
    public record Entry(int number, String name, List<String> pools, boolean leaving) {
        public Entry {
            pools = List.copyOf(pools);
        }
    }

    /** Knows the stores of the volume. */
    public interface Source {
        /** All stores, as of now. */
        List<Entry> list() throws IOException;

        BlockStore open(Entry entry) throws IOException;

        /** @throws IOException if the store does not answer, or does not belong to the volume */
        void probe(BlockStore store, Entry entry) throws IOException;
    }

    Members(Source source, StoreThreads crew, Delays delays) throws IOException {
        this.delays = delays;
        this.source = source;
        this.crew = crew;
        this.entries = source.list();
    }

    /** The stores that accept new blocks, optionally of one pool, by number. */
    synchronized List<Entry> candidates(Optional<String> pool) throws IOException {
        if (System.nanoTime() - listed > FRESH) {
            refresh();
        }
        return entries.stream()
                .filter(each -> !each.leaving() && pool.stream().allMatch(each.pools()::contains))
                .sorted(Comparator.comparingInt(Entry::number))
                .toList();
    }

    /** All stores, as of the last refresh. */
    public synchronized List<Entry> entries() {
        return entries;
    }

    /** Reads the list of stores again. */
    public synchronized void refresh() throws IOException {
        entries = source.list();
        listed = System.nanoTime();
    }

    /** @throws IOException if the volume has no such store, or it cannot be opened */
    public synchronized Member of(int number) throws IOException {
        var member = open.get(number);
        if (member == null) {
            member = member(entry(number));
            open.put(number, member);
        }
        return member;
    }

    private Entry entry(int number) throws IOException {
        var found = entries.stream().filter(each -> each.number() == number).findFirst();
        if (found.isEmpty()) {
            refresh();
            found = entries.stream().filter(each -> each.number() == number).findFirst();
        }
        return found.orElseThrow(() -> new IOException("the volume has no store number %d: it has %s".formatted(number,
                entries.stream().map(Entry::name).collect(Collectors.joining(", ")))));
    }

    /** Whether the volume has a store with this number: a removed store holds nothing of the volume. */
    synchronized boolean has(int number) {
        return open.containsKey(number) || entries.stream().anyMatch(each -> each.number() == number);
    }

    private Member member(Entry entry) throws IOException {
        var store = source.open(entry);
        return new Member(entry.number(), entry.name(), store,
                new StoreHealth(entry.name(), () -> source.probe(store, entry), crew), delays);
    }

    /** Every store, opened. */
    public List<Member> all() throws IOException {
        var all = new ArrayList<Member>();
        for (var entry : entries()) {
            all.add(of(entry.number()));
        }
        return all;
    }

    /** The stores used so far. */
    synchronized List<Member> opened() {
        return List.copyOf(open.values());
    }

    @Override
    public synchronized void close() throws IOException {
        IOException first = null;
        for (var member : open.values()) {
            try {
                member.close();
            } catch (IOException failed) {
                first = first == null ? failed : first;
            }
        }
        open.clear();
        if (first != null) {
            throw first;
        }
    }
}
