package volsh.assembly;

import java.io.IOException;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import volsh.block.StoreUrl;
import volsh.catalog.Catalog;
import volsh.catalog.DefaultStore;
import volsh.catalog.Home;
import volsh.catalog.Records;
import volsh.catalog.Refusal;
import volsh.catalog.Refusal.Reason;
import volsh.catalog.StoreEntry;
import volsh.catalog.StoreLayout;
import volsh.catalog.VolumeSpec;
import volsh.fs.ShellWord;
import volsh.place.LayoutPolicy;

/** The stores the catalog knows by name, and the built-in one. */
public final class Stores {

    private final Catalog catalog;
    private final Assembly assembly;
    private final Home home;
    private final InstantSource clock;

    public Stores(Catalog catalog, Assembly assembly, Home home, InstantSource clock) {
        this.catalog = catalog;
        this.assembly = assembly;
        this.home = home;
        this.clock = clock;
    }

    public List<String> names() throws IOException {
        var names = new ArrayList<>(catalog.names(Catalog.STORES));
        if (!names.contains(DefaultStore.NAME)) {
            names.addFirst(DefaultStore.NAME);
        }
        return names;
    }

    public StoreEntry find(String name) throws IOException {
        VolumeSpec.requireName("store", name);
        var found = catalog.find(Catalog.STORES, name, Records::store);
        if (found.isPresent()) {
            return found.get();
        }
        if (name.equals(DefaultStore.NAME)) {
            return DefaultStore.in(home);
        }
        throw new Refusal(Reason.NOT_FOUND, "no such store: '%s'".formatted(name), "volsh store list",
                "volsh store add %s file:///path".formatted(ShellWord.of(name))).among(name, names())
                .detail("stores here: " + String.join(", ", names()));
    }

    public StoreEntry checkAdd(String name, StoreUrl url) throws IOException {
        return checkAdd(name, url, List.of());
    }

    /** What {@link #add} would remember. @throws Refusal as {@link #add} would */
    public StoreEntry checkAdd(String name, StoreUrl url, List<String> pools) throws IOException {
        var entry = new StoreEntry(name, url, clock.instant().truncatedTo(ChronoUnit.MILLIS), pools);
        var found = catalog.find(Catalog.STORES, name, Records::store);
        if (found.isPresent()) {
            throw new Refusal(Reason.CONFLICT, "store '%s' exists already: %s".formatted(name, found.get().url()),
                    "volsh store show " + name);
        }
        if (name.equals(DefaultStore.NAME)) {
            requireUnused(name, Reason.CONFLICT);
        }
        return entry;
    }

    /** From here on a directory that is missing is not made anew, but by a new volume. */
    public StoreEntry add(String name, StoreUrl url, List<String> pools) throws IOException {
        return catalog.exclusively(() -> {
            var entry = checkAdd(name, url, pools);
            assembly.makeDirectory(url);
            catalog.put(Catalog.STORES, name, Records.toBytes(entry));
            return entry;
        });
    }

    /** Remembers an entry that was checked. The caller holds the catalog's lock. */
    public void put(StoreEntry entry) throws IOException {
        catalog.put(Catalog.STORES, entry.name(), Records.toBytes(entry));
    }

    /** Forgets it again. The caller holds the catalog's lock. */
    public void forget(StoreEntry entry) throws IOException {
        catalog.remove(Catalog.STORES, entry.name());
    }

    /** @throws Refusal as {@link #remove} would */
    public StoreEntry checkRemove(String name) throws IOException {
        var entry = find(name);
        if (entry.builtIn()) {
            throw new Refusal(Reason.INVALID,
                    "the store 'default' is built in: it is always there, and takes no space while unused");
        }
        requireUnused(name, Reason.BUSY);
        return entry;
    }

    public void remove(String name) throws IOException {
        catalog.exclusively(() -> {
            checkRemove(name);
            catalog.remove(Catalog.STORES, name);
            return null;
        });
    }

    private void requireUnused(String name, Reason reason) throws IOException {
        for (var kind : List.of(Catalog.VOLUMES, Catalog.DESTROYING)) {
            for (var volume : catalog.list(kind, Records::volume)) {
                if (volume.stores().contains(name)) {
                    throw new Refusal(reason, "store '%s' is used by volume '%s'".formatted(name, volume.name()),
                            "volsh store show " + name, "volsh volume show " + volume.name());
                }
            }
        }
    }

    /** @throws Refusal NOT_FOUND for a store, INVALID if they are too few */
    public void require(StoreLayout spread) throws IOException {
        var entries = new ArrayList<StoreEntry>();
        for (var name : spread.stores()) {
            if (!name.equals(StoreLayout.VACANT)) {
                var entry = find(name);
                if (!spread.leaving().contains(name)) {
                    entries.add(entry);
                }
            }
        }
        if (spread.policy().isPresent()) {
            require(spread.policy().get(), entries);
        }
    }

    private static void require(LayoutPolicy policy, List<StoreEntry> entries) throws Refusal {
        for (var component : policy.components()) {
            long there = entries.stream().filter(each -> component.pool().stream().allMatch(each.pools()::contains))
                    .count();
            if (there < component.layout().storesMin()) {
                throw new Refusal(Reason.INVALID, "%s takes %d stores, and there are %d%s".formatted(component.layout(),
                        component.layout().storesMin(), there, pool(component.pool())), "volsh store list");
            }
        }
    }

    private static String pool(Optional<String> pool) {
        return pool.map(name -> " in pool '%s'".formatted(name)).orElse("");
    }
}
