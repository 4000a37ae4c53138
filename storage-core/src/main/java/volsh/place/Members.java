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
 * The stores of a volume, by their numbers. Others may add stores while the volume is open: one that is asked for and not known is looked
 * up, and opened. Thread-safe.
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
     * @param pools   labels it goes by
     * @param leaving whether new blocks are not to go there any more
     */
    public record Entry(int number, String name, List<String> pools, boolean leaving) {
        public Entry {
            pools = List.copyOf(pools);
        }
    }

    /** Who knows the stores of the volume. */
    public interface Source {
        /** All there are now. */
        List<Entry> list() throws IOException;

        BlockStore open(Entry entry) throws IOException;

        /** @throws IOException if the store does not answer, or is not the volume's */
        void probe(BlockStore store, Entry entry) throws IOException;
    }

    Members(Source source, StoreThreads crew, Delays delays) throws IOException {
        this.delays = delays;
        this.source = source;
        this.crew = crew;
        this.entries = source.list();
    }

    /** Those that new blocks may go to, perhaps only of one pool, by number. */
    synchronized List<Entry> candidates(Optional<String> pool) throws IOException {
        if (System.nanoTime() - listed > FRESH) {
            refresh();
        }
        return entries.stream()
                .filter(each -> !each.leaving() && pool.stream().allMatch(each.pools()::contains))
                .sorted(Comparator.comparingInt(Entry::number))
                .toList();
    }

    /** All there were when last looked. */
    public synchronized List<Entry> entries() {
        return entries;
    }

    /** Looks again which there are. */
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
        return found.orElseThrow(() -> new IOException("the volume has no store of number %d: it has %s".formatted(number,
                entries.stream().map(Entry::name).collect(Collectors.joining(", ")))));
    }

    /** Whether the volume has a store of this number: one that was taken out has nothing of it any more. */
    synchronized boolean has(int number) {
        return open.containsKey(number) || entries.stream().anyMatch(each -> each.number() == number);
    }

    private Member member(Entry entry) throws IOException {
        var store = source.open(entry);
        return new Member(entry.number(), entry.name(), store, new StoreHealth(entry.name(), () -> source.probe(store, entry), crew), delays);
    }

    /** Every store there is, opened. */
    public List<Member> all() throws IOException {
        var all = new ArrayList<Member>();
        for (var entry : entries()) {
            all.add(of(entry.number()));
        }
        return all;
    }

    /** Those that were asked so far. */
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
