package volsh.assembly;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import volsh.block.BlockStore;
import volsh.block.MissingStoreException;
import volsh.catalog.Log;
import volsh.catalog.Ownership;
import volsh.catalog.Refusal;
import volsh.catalog.Refusal.Reason;
import volsh.catalog.StoreLayout;
import volsh.catalog.VolumeSpec;
import volsh.engine.MetaEngine;
import volsh.inventory.PlaceRows;
import volsh.place.LayoutPolicy;
import volsh.place.Members;
import volsh.place.PlacedStore;
import volsh.place.PlacementRecords;

/**
 * The stores of an open volume that has several: what its metadata says of them, read again every few seconds, so that
 * every process that has the volume open follows when a store is added or another layout is set.
 */
public final class StoreSet implements Members.Source, PlacementRecords {
    /** A store that takes longer to show its mark is not used until it answers. */
    private static final Duration ANSWER = Duration.ofSeconds(10);
    private static final long FRESH = Duration.ofSeconds(2).toNanos();

    private final VolumeSpec known;
    private final VolumeParts parts;
    private final Look look;
    private final PlaceRows rows;
    private volatile StoreLayout spread;
    private volatile long read;

    /** Reads what the volume is now. */
    public interface Look {
        VolumeSpec current() throws IOException;
    }

    public StoreSet(VolumeSpec spec, VolumeParts parts, MetaEngine engine, Look look) {
        this.known = spec;
        this.parts = parts;
        this.look = look;
        this.rows = new PlaceRows(engine);
        this.spread = spec.spread();
        this.read = System.nanoTime();
    }

    public PlacedStore open() throws IOException {
        var shipped = parts.openShipped(known);
        try {
            return new PlacedStore(this, this, this::policy, shipped);
        } catch (IOException | RuntimeException failed) {
            shipped.close();
            throw failed;
        }
    }

    // ---- stores

    @Override
    public List<Members.Entry> list() throws IOException {
        spread = look.current().spread();
        read = System.nanoTime();
        var entries = new ArrayList<Members.Entry>();
        var stores = spread.stores();
        for (int i = 0; i < stores.size(); i++) {
            if (!stores.get(i).equals(StoreLayout.VACANT)) {
                var entry = parts.store(stores.get(i));
                entries.add(new Members.Entry(i + 1, entry.name(), entry.pools(),
                        spread.leaving().contains(entry.name())));
            }
        }
        return entries;
    }

    @Override
    public BlockStore open(Members.Entry entry) throws IOException {
        return parts.openStore(known, entry.name());
    }

    @Override
    public void probe(BlockStore store, Members.Entry entry) throws IOException {
        Ownership.require(store, known, entry.name());
    }

    private LayoutPolicy policy() {
        if (System.nanoTime() - read > FRESH) {
            try {
                spread = look.current().spread();
                read = System.nanoTime();
            } catch (IOException later) {
                Log.LOG.log(Level.DEBUG, "the layout of volume '%s' cannot be read now".formatted(known.name()), later);
            }
        }
        return spread.policy().orElse(LayoutPolicy.SINGLE);
    }

    /**
     * Looks at all stores before something is written: a store that does not answer is not used until it does.
     * @throws Refusal if none does
     */
    public void admit(PlacedStore store) throws IOException {
        var failures = store.ask(ANSWER, member -> Ownership.require(member.store(), known, member.name()));
        IOException first = null;
        for (var each : failures.entrySet()) {
            var member = each.getKey();
            if (each.getValue() instanceof Refusal refused && refused.reason() == Reason.CONFLICT) {
                throw refused;
            }
            var refusal = switch (each.getValue()) {
                case Refusal refused -> refused;
                case MissingStoreException missing -> missing;
                default -> new Refusal(Reason.UNAVAILABLE, "store '%s' does not answer".formatted(member.name()),
                        each.getValue(), "volsh store probe " + member.name());
            };
            first = first == null ? refusal : first;
            member.shut(String.valueOf(each.getValue().getMessage()));
        }
        if (first != null && failures.size() == store.members().all().size()) {
            throw first;
        }
    }

    // ---- what the metadata says

    public PlaceRows rows() {
        return rows;
    }

    @Override
    public Optional<Located> located(long block) throws IOException {
        return rows.block(block).map(row -> new Located(row.layout(), row.storedSize()));
    }

    @Override
    public int policy(long ino) throws IOException {
        return rows.ofInode(ino);
    }

    @Override
    public Optional<String> text(int number) throws IOException {
        return rows.layout(number);
    }

    @Override
    public int number(String text) throws IOException {
        return rows.number(text);
    }

    @Override
    public void missing(long block, Collection<Integer> stores) throws IOException {
        rows.missing(block, stores);
    }

    @Override
    public void found(long block, Collection<Integer> stores) throws IOException {
        rows.found(block, stores);
    }
}
