package volsh.volume;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import volsh.assembly.Replication;
import volsh.assembly.ShippingSwitch;
import volsh.assembly.Stores;
import volsh.assembly.VolumeParts;
import volsh.block.BlockStore;
import volsh.catalog.Migrations;
import volsh.catalog.Ownership;
import volsh.catalog.Refusal;
import volsh.catalog.Refusal.Reason;
import volsh.catalog.StoreEntry;
import volsh.catalog.StoreLayout;
import volsh.catalog.VolumeSpec;
import volsh.inventory.PlaceRows;
import volsh.place.Arrangement;
import volsh.place.Chaos;
import volsh.place.Layout;
import volsh.place.LayoutPolicy;
import volsh.ship.Shipments;

/**
 * The stores of volumes that have several: adds and removes them, sets layouts, tells redundancy, and orders drills.
 */
public final class StoreAssignment {
    /** The number of blocks that are looked at for a line of status. */
    private static final int OLDEST = 10_000;

    private final VolumeRegistry volumes;
    private final VolumeParts parts;
    private final Stores stores;
    private final Recorder recorder;

    /** Writes a changed volume down, with the catalog locked. */
    interface Recorder {
        VolumeSpec change(String name, UnaryOperator<VolumeSpec> change) throws IOException;
    }

    StoreAssignment(VolumeRegistry volumes, VolumeParts parts, Stores stores, Recorder recorder) {
        this.volumes = volumes;
        this.parts = parts;
        this.stores = stores;
        this.recorder = recorder;
    }

    /** @throws Refusal INVALID if the volume has too few stores for this policy, or smaller blocks */
    public void checkPolicy(String name, LayoutPolicy policy) throws IOException {
        var spec = requireSpread(volumes.find(name));
        stores.require(spec.spread().with(policy));
        for (var component : policy.components()) {
            if (component.size().isPresent() && component.size().get().compareTo(spec.blockSize()) > 0) {
                throw new Refusal(Reason.INVALID, "the block size of volume '%s' is fixed at %s: %s is more".formatted(
                        name, spec.blockSize(), component.size().get()));
            }
        }
    }

    /** Sets the layout of files whose directories have none of their own. */
    public VolumeSpec setPolicy(String name, LayoutPolicy policy) throws IOException {
        checkPolicy(name, policy);
        return recorder.change(name, spec -> spec.spread(spec.spread().with(policy)));
    }

    /** Hints for a volume that should have more stores. */
    public static String[] toAddStores() {
        return new String[] {"other stores: volsh store list", "how to add one: volsh stripe rebalance --help"};
    }

    private static VolumeSpec requireSpread(VolumeSpec spec) throws Refusal {
        if (spec.spread().isNone()) {
            throw new Refusal(Reason.INVALID,
                    "volume '%s' has one store: there is nothing to choose".formatted(spec.name()), toAddStores());
        }
        return spec;
    }

    /**
     * @throws Refusal NOT_FOUND, CONFLICT if one is a store of the volume already, BUSY if a volume with one store is
     * open
     */
    public VolumeSpec checkAdd(String name, List<String> more) throws IOException {
        var spec = volumes.find(name);
        for (var store : more) {
            stores.find(store);
            if (spec.stores().contains(store)) {
                throw new Refusal(Reason.CONFLICT, "volume '%s' has store '%s' already".formatted(name, store),
                        "volsh volume show " + name);
            }
        }
        try (var engine = parts.openMetadata(spec)) {
            VolumeRegistry.requireWritable(spec, engine);
        }
        // processes that have it open know of one store only
        if (spec.spread().isNone() && !volumes.status(name).sessions().isEmpty()) {
            throw new Refusal(Reason.BUSY, ("volume '%s' has one store and is in use: stores can be added when no "
                    + "session has it open").formatted(name), "volsh mounts list");
        }
        return spec;
    }

    /**
     * Gives the volume more stores. What is written from now on may go there; what is there stays until it is
     * rebalanced.
     */
    public VolumeSpec add(String name, List<String> more) throws IOException {
        var spec = checkAdd(name, more);
        for (var store : more) {
            try (var part = parts.openNewPart(spec, store)) {
                Ownership.requireFree(part, spec, store);
                Ownership.claim(part, spec);
            }
        }
        return recorder.change(name, before -> {
            var spread = before.spread().isNone()
                    ? StoreLayout.of(List.of(before.store()), LayoutPolicy.of(new Layout.Striped(Layout.Striped.ALL)))
                    : before.spread();
            for (var store : more) {
                spread = spread.and(store);
            }
            return before.spread(spread);
        });
    }

    /** The volumes that have something in this store. */
    public List<VolumeSpec> users(String store) throws IOException {
        stores.find(store);
        return volumes.list().stream().filter(spec -> spec.stores().contains(store)).toList();
    }

    /** @throws Refusal INVALID unless the volume can do without this store */
    public void checkLeave(VolumeSpec spec, String store) throws IOException {
        requireSpread(spec);
        stores.require(spec.spread().leaving(store, true));
    }

    /** New blocks go to this store no more, or again. */
    public VolumeSpec leave(String name, String store, boolean leaves) throws IOException {
        return recorder.change(name, spec -> spec.spread(spec.spread().leaving(store, leaves)));
    }

    /**
     * Takes out a store that has no block of the volume any more. The first one stays: it has the marks and the shipped
     * metadata.
     */
    public VolumeSpec takeOut(String name, String store) throws IOException {
        var spec = volumes.find(name);
        if (spec.store().equals(store)) {
            return spec;
        }
        var changed = recorder.change(name, before -> before.spread(before.spread().without(store)));
        try (var part = parts.openStore(spec, store)) {
            if (VolumeParts.shippedTo(spec).contains(store)) {
                Shipments.remove(part);
                new ShippingSwitch(parts).removeMark(spec, store);
            }
            Ownership.giveUp(part, spec);
        } catch (IOException gone) {
            System.getLogger("volsh.volume").log(Level.WARNING, "the mark of volume '%s' may be left in store '%s': %s"
                    .formatted(name, store, gone.getMessage()));
        }
        return changed;
    }

    /** The migrations of a volume that are unfinished. */
    public Migrations migrations(String name) throws IOException {
        return parts.migrations(volumes.find(name));
    }

    // ---- status

    /** Can its files reach the state REPLICATED, in which any one store may be lost? */
    public boolean mayReplicate(VolumeSpec spec) throws IOException {
        return parts.database(spec).isEmpty() && Replication.isPossible(spec);
    }

    /**
     * Whether what a volume has is as redundant as its layout says.
     *
     * @param missing parts on the list of what is missing
     * @param away    stores that do not answer or are not the volume's, and why
     * @param older   whether there are blocks whose own layout may lose fewer stores than that of the volume; of many,
     *                the oldest are looked at
     */
    public record Redundancy(String volume, String layout, int stores, int losses, long missing, List<Away> away,
            boolean older) {
        public boolean isWhole() {
            return missing == 0 && away.isEmpty();
        }

        /** For a line of status. */
        @Override
        public String toString() {
            String wanted = "%s over %d store%s".formatted(layout, stores, stores == 1 ? "" : "s");
            if (isWhole()) {
                return wanted + (losses == 0 ? ": no redundancy" : ": redundancy is whole, "
                        + (older ? "but some blocks have a layout that survives less (volsh stripe rebalance %s)"
                                .formatted(volume)
                                : "any %d may be lost".formatted(losses)));
            }
            return wanted + (losses == 0 ? ": no redundancy" : ": redundancy is not whole")
                    + (missing == 0 ? "" : ", %d part%s missing".formatted(missing, missing == 1 ? " is" : "s are")
                            + (next().startsWith("volsh heal") ? " (%s)".formatted(next()) : ""))
                    + (away.isEmpty() ? ""
                            : "; " + gone() + (away.size() > losses ? "; files cannot be read without" : ""));
        }

        private String gone() {
            return away.size() == 1 ? away.getFirst().why()
                    : "stores %s are away".formatted(away.stream().map(Away::store).collect(Collectors.joining(", ")));
        }

        /**
         * The command to run next, if there is something to do. While more stores are silent than may be lost, nothing
         * can be made anew, and what is missing while one is silent is most likely what that one should have.
         */
        public String next() {
            var silent = away.stream().filter(store -> !store.answers()).toList();
            boolean unmarked = silent.size() < away.size();
            return isWhole() ? ""
                    : silent.size() <= losses && (silent.isEmpty() && missing > 0 || unmarked && losses > 0)
                    ? "volsh heal " + volume
                    : "volsh store probe " + (silent.isEmpty() ? away : silent).getFirst().store();
        }
    }

    /**
     * A store that is not there for a volume.
     *
     * @param answers whether it is there for others: it has no mark of the volume
     */
    public record Away(String store, String why, boolean answers) {}

    /** Asks every store for its mark, and the metadata for what is missing. */
    public Redundancy redundancy(String name) throws IOException {
        var spec = volumes.find(name);
        var away = new ArrayList<Away>();
        for (var store : spec.stores()) {
            try (BlockStore part = parts.openStore(spec, store)) {
                Ownership.require(part, spec, store);
            } catch (IOException failed) {
                String why = String.valueOf(failed.getMessage());
                boolean told = failed instanceof Refusal || why.startsWith("store '%s'".formatted(store));
                away.add(new Away(store, told ? why : "store '%s' does not answer: %s".formatted(store, why),
                        failed instanceof Refusal));
            }
        }
        var policy = spec.spread().policy().orElse(LayoutPolicy.SINGLE);
        int losses = policy.components().stream().mapToInt(each -> each.layout().losses()).min().orElse(0);
        try (var engine = parts.openMetadata(spec)) {
            var rows = new PlaceRows(engine);
            return new Redundancy(name, policy.toString(), spec.stores().size(), losses, rows.countMissing(), away,
                    losses > 0 && isAnyOlder(rows, losses));
        }
    }

    private static boolean isAnyOlder(PlaceRows rows, int losses) throws IOException {
        var weaker = new TreeSet<Integer>();
        for (int number : rows.arrangements()) {
            var text = rows.layout(number);
            if (text.isEmpty() || Arrangement.of(text.get()).layout().losses() < losses) {
                weaker.add(number);   // 0, which no row explains, is the first store
            }
        }
        return rows.anyOldest(OLDEST, weaker::contains);
    }

    /**
     * Stores of the volume that answer and have no mark of it: they were wiped, or what should be mounted there is not.
     */
    public List<StoreEntry> unmarked(String name) throws IOException {
        var spec = volumes.find(name);
        var found = new ArrayList<StoreEntry>();
        for (var store : spec.stores()) {
            try (BlockStore part = parts.openStore(spec, store)) {
                if (!Ownership.isMarked(part)) {
                    found.add(stores.find(store));
                }
            } catch (Refusal refused) {
                throw refused;
            } catch (IOException away) {
                // nothing is known of it
            }
        }
        return found;
    }

    // ---- drills

    /** Orders trouble for a store, for all processes of this host, until the moment in it. */
    public void order(String store, Chaos chaos) throws IOException {
        stores.find(store);
        parts.chaos().order(store, chaos);
    }

    /** The trouble that is ordered for a store. */
    public Optional<Chaos> ordered(String store) {
        return parts.chaos().find(store.toLowerCase(Locale.ROOT));
    }

    /** Ends this trouble, and no other that was ordered since. */
    public void end(String store, Chaos ordered) throws IOException {
        parts.chaos().end(store, ordered);
    }

    public void end(String store) throws IOException {
        parts.chaos().end(store);
    }
}
