package volsh.command.place;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import volsh.command.failure.CommandFailure;
import volsh.place.Layout;
import volsh.place.LayoutPolicy;
import volsh.unit.ByteSize;

/** The layout options of several commands. Accepts Lustre's short names. */
public final class LayoutOptions {
    @Option(names = {"--stripe-count", "--count", "-c"}, paramLabel = "N",
            description = "Stripe whole blocks over N stores in turn; -1 for all of them. With -E it may be given for"
                    + " each part.")
    private List<String> counts = new ArrayList<>();

    @Option(names = {"--stripe-size", "--size", "-S"}, paramLabel = "SIZE",
            description = "Limit the length of a block: a power of two from 64KiB up to the volume's block size.")
    private @Nullable ByteSize size;

    @Option(names = {"--mirror", "--replicas", "-N"}, paramLabel = "N",
            description = "Mirror every block on N stores: N-1 of them may be lost.")
    private @Nullable Integer copies;

    @Option(names = "--quorum", paramLabel = "N",
            description = "With --mirror: acknowledge a write after this many copies (default: 1 of 2, else 2); the"
                    + " others follow, or are healed.")
    private @Nullable Integer quorum;

    @Option(names = "--ec", paramLabel = "K+M",
            description = "Split every block into K shards plus M parity, on K+M stores: any M of them may be lost,"
                    + " for (K+M)/K of the space.")
    private @Nullable String erasure;

    @Option(names = {"--until", "-E"}, paramLabel = "OFFSET",
            description = "Use the layout that follows up to this offset of a file, the last up to -1: -E 64MiB -c 1"
                    + " -E -1 -c -1.")
    private List<String> untils = new ArrayList<>();

    @Option(names = {"--pool", "-p"}, paramLabel = "POOL",
            description = "Use only stores of this pool (volsh store add --pool).")
    private @Nullable String pool;

    @Option(names = "--layout", paramLabel = "LAYOUT",
            description = "Set the whole layout as text: stripe:4, stripe:all, mirror:2, ec:4+2, 'stripe:1,until=64MiB"
                    + " stripe:all'.")
    private @Nullable String layout;

    /** The requested layout, if any. */
    public Optional<LayoutPolicy> policy() {
        int kinds = (counts.isEmpty() ? 0 : 1) + (copies == null ? 0 : 1) + (erasure == null ? 0 : 1)
                + (layout == null ? 0 : 1);
        if (kinds > 1) {
            throw CommandFailure.usage("--stripe-count, --mirror, --ec and --layout exclude each other");
        }
        if (kinds == 0) {
            if (pool != null || quorum != null || !untils.isEmpty()) {
                throw CommandFailure.usage("--pool, --quorum and -E need a layout: --stripe-count, --mirror or --ec");
            }
            return Optional.empty();
        }
        if (quorum != null && copies == null) {
            throw CommandFailure.usage("--quorum needs --mirror, such as: --mirror 3 --quorum 3");
        }
        return Optional.of(layout != null ? LayoutPolicy.of(layout) : counts.isEmpty() ? whole(one()) : striped());
    }

    /** The requested block size. */
    public Optional<ByteSize> size() {
        return Optional.ofNullable(size);
    }

    private Layout one() {
        if (copies == null) {
            return Layout.of("ec:" + erasure);
        }
        return quorum == null ? new Layout.Mirrored(copies) : new Layout.Mirrored(copies, quorum);
    }

    private LayoutPolicy striped() {
        if (untils.isEmpty()) {
            if (counts.size() > 1) {
                throw CommandFailure.usage("several --stripe-count need the same number of -E");
            }
            return whole(stripe(counts.getFirst()));
        }
        if (untils.size() != counts.size()) {
            throw CommandFailure.usage("one -c must follow each -E, such as: -E 64MiB -c 1 -E -1 -c -1");
        }
        var components = new ArrayList<LayoutPolicy.Component>();
        for (int i = 0; i < untils.size(); i++) {
            components.add(component(stripe(counts.get(i)), until(untils.get(i))));
        }
        return new LayoutPolicy(components);
    }

    private static long until(String text) {
        return text.equals("-1") || text.equals("eof") ? Long.MAX_VALUE : ByteSize.of(text).bytes();
    }

    private static Layout stripe(String count) {
        if (!count.matches("-1|all|\\d{1,2}")) {
            throw CommandFailure.usage("'" + count + "' is not a number of stores (try 4, or -1 for all)");
        }
        return new Layout.Striped(count.equals("all") ? Layout.Striped.ALL : Integer.parseInt(count));
    }

    private LayoutPolicy whole(Layout one) {
        return new LayoutPolicy(List.of(component(one, Long.MAX_VALUE)));
    }

    private LayoutPolicy.Component component(Layout one, long until) {
        return new LayoutPolicy.Component(one, until, Optional.ofNullable(size), Optional.ofNullable(pool));
    }
}
