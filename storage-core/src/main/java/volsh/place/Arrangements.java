package volsh.place;

import java.io.IOException;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import volsh.block.BlockKey;
import volsh.place.PlacementRecords.Located;

/**
 * Maps policies to arrangements and their numbers, and blocks to arrangements: as the metadata says, or as the block's
 * key says if no row names it yet. Caching saves lookups and never changes a result. Thread-safe.
 *
 * <p>A shard below 4 KiB would cost more in requests and checksums than it saves: such a block is mirrored
 * {@code parity + 1} times instead, which survives as much.
 */
final class Arrangements {
    static final int SHARD_MIN = 4 << 10;

    private static final String POLICY = "policy ";
    private static final int REMEMBERED = 1 << 16;

    private final PlacementRecords ledger;
    private final Members members;
    private final Supplier<LayoutPolicy> standard;
    private final Map<Integer, Arrangement> arrangements = new ConcurrentHashMap<>();
    private final Map<Integer, LayoutPolicy> policies = new ConcurrentHashMap<>();
    private final Map<String, Integer> numbers = new ConcurrentHashMap<>();
    private final Map<Long, Located> blocks = Collections.synchronizedMap(new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, Located> eldest) {
            return size() > REMEMBERED;
        }
    });

    /** {@code standard} is the policy of files whose directories set none. */
    Arrangements(PlacementRecords ledger, Members members, Supplier<LayoutPolicy> standard) {
        this.ledger = ledger;
        this.members = members;
        this.standard = standard;
    }

    // ---- policies

    /** The text of a policy under which it is numbered. */
    static String text(LayoutPolicy policy) {
        return POLICY + policy;
    }

    LayoutPolicy policyOf(long ino) throws IOException {
        return policy(ino == 0 ? 0 : ledger.policy(ino));
    }

    LayoutPolicy policy(int number) throws IOException {
        if (number == 0) {
            return standard.get();
        }
        var known = policies.get(number);
        if (known == null) {
            known = LayoutPolicy.of(text(number, "policy").substring(POLICY.length()));
            policies.put(number, known);
        }
        return known;
    }

    private String text(int number, String what) throws IOException {
        return ledger.text(number)
                .orElseThrow(() -> new IOException("metadata corrupt: no row for %s %d".formatted(what, number)));
    }

    // ---- choosing

    /** The arrangement of a block of this many stored bytes, at this offset of a file. */
    Arrangement choose(LayoutPolicy policy, long ino, long offset, long stored) throws IOException {
        var component = policy.at(offset);
        var stores = members.candidates(component.pool()).stream().map(Members.Entry::number).toList();
        var layout = component.layout();
        if (layout instanceof Layout.ErasureCoded(int data, int parity) && stored < (long) data * SHARD_MIN) {
            layout = new Layout.Mirrored(parity + 1);
        }
        if (stores.size() < Math.max(1, layout.storesMin())) {
            throw new IOException("layout %s needs %d stores, but only %d%s accept new blocks (try 'volsh stripe get')"
                    .formatted(layout, layout.storesMin(), stores.size(),
                            component.pool().map(" of pool "::concat).orElse("")));
        }
        return switch (layout) {
            case Layout.Striped(int width) when width != Layout.Striped.ALL && width < stores.size() ->
                    new Arrangement(new Layout.Striped(width), some(stores, width, ino));
            case Layout.Striped _ -> new Arrangement(new Layout.Striped(stores.size()), stores);
            default -> new Arrangement(layout, stores);
        };
    }

    /** Picks {@code count} consecutive stores, starting at one derived from the inode, to spread files. */
    private static List<Integer> some(List<Integer> stores, int count, long ino) {
        int start = (int) Math.floorMod(ino, (long) stores.size());
        return IntStream.range(0, count).mapToObj(i -> stores.get((start + i) % stores.size())).toList();
    }

    int number(Arrangement arrangement) throws IOException {
        if (arrangement.equals(Arrangement.FIRST)) {
            return 0;
        }
        String text = arrangement.toString();
        var known = numbers.get(text);
        if (known == null) {
            known = ledger.number(text);
            numbers.put(text, known);
            arrangements.put(known, arrangement);
        }
        return known;
    }

    Arrangement arrangement(int number) throws IOException {
        if (number == 0) {
            return Arrangement.FIRST;
        }
        var known = arrangements.get(number);
        if (known == null) {
            known = Arrangement.of(text(number, "arrangement"));
            arrangements.put(number, known);
        }
        return known;
    }

    // ---- blocks

    void know(long block, Located located) {
        blocks.put(block, located);
    }

    /** Where a block is likely to be, without reading the metadata. If it is not there, use {@link #current}. */
    Optional<Located> likely(BlockKey key) throws IOException {
        var known = Optional.ofNullable(blocks.get(key.block().getAsLong())).or(() -> said(key));
        return known.isPresent() ? known : current(key);
    }

    /** Where a block is: as the metadata says, otherwise as its key says. Empty if neither knows. */
    Optional<Located> current(BlockKey key) throws IOException {
        return current(key.block().getAsLong()).or(() -> said(key));
    }

    /** Where the metadata says the block is; empty if no row names it. */
    Optional<Located> current(long block) throws IOException {
        var row = ledger.located(block);
        row.ifPresent(located -> know(block, located));
        return row;
    }

    private static Optional<Located> said(BlockKey key) {
        return key.arrangement() == BlockKey.UNPLACED ? Optional.empty()
                : Optional.of(new Located(key.arrangement(), key.stored()));
    }
}
