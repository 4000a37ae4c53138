package volsh.volume;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import volsh.assembly.Assembly;
import volsh.assembly.Stores;
import volsh.assembly.VolumeParts;
import volsh.block.Ability;
import volsh.block.BlockStore;
import volsh.block.StoreUrl;
import volsh.catalog.Ownership;
import volsh.catalog.Refusal;
import volsh.catalog.StoreEntry;
import volsh.catalog.StoreProbe;
import volsh.catalog.VolumeSpec;

/** The stores that this machine knows: adds, removes and probes them, and tells whether those of a volume are there. */
public final class StoreCatalog {
    private final VolumeRegistry volumes;
    private final VolumeParts parts;
    private final Stores stores;
    private final Assembly assembly;
    private final InstantSource clock;

    StoreCatalog(VolumeRegistry volumes, VolumeParts parts, Stores stores, Assembly assembly, InstantSource clock) {
        this.volumes = volumes;
        this.parts = parts;
        this.stores = stores;
        this.assembly = assembly;
        this.clock = clock;
    }

    /** Every store, the built-in one included. */
    public List<StoreEntry> list() throws IOException {
        var all = new ArrayList<StoreEntry>();
        for (var name : stores.names()) {
            all.add(stores.find(name));
        }
        return all;
    }

    /** The names of all stores, from the names of files alone. */
    public List<String> names() throws IOException {
        return stores.names();
    }

    /** @throws Refusal NOT_FOUND */
    public StoreEntry find(String name) throws IOException {
        return stores.find(name);
    }

    public StoreEntry checkAdd(String name, StoreUrl url) throws IOException {
        return checkAdd(name, url, List.of());
    }

    public StoreEntry checkAdd(String name, StoreUrl url, List<String> pools) throws IOException {
        return stores.checkAdd(name, url, pools);
    }

    /**
     * Remembers a store under a name. @throws Refusal CONFLICT if the name is taken, INVALID if nothing here can use it
     */
    public StoreEntry add(String name, StoreUrl url) throws IOException {
        return add(name, url, List.of());
    }

    /** The same, in these pools. */
    public StoreEntry add(String name, StoreUrl url, List<String> pools) throws IOException {
        return stores.add(name, url, pools);
    }

    public StoreEntry checkRemove(String name) throws IOException {
        return stores.checkRemove(name);
    }

    /** Forgets a store; its objects stay where they are. @throws Refusal BUSY if a volume uses it */
    public void remove(String name) throws IOException {
        stores.remove(name);
    }

    /** Opens the store as a whole, with the blocks of all volumes. */
    public BlockStore open(String name) throws IOException {
        return parts.chaos().over(name, assembly.store(stores.find(name)));
    }

    /** Removes what deleted objects leave behind below a prefix: empty directories. */
    public void tidy(String name, String prefix) throws IOException {
        assembly.tidy(stores.find(name).url(), prefix);
    }

    /**
     * Asks the store something that changes nothing; runs {@code sends} when it is ready to ask, which loads a client.
     *
     * @throws IOException if it does not answer, or its directory is gone
     */
    public void reach(String name, Runnable sends) throws IOException {
        var entry = stores.find(name);
        var needs = requireUsers(name).isEmpty() ? Assembly.Needs.NOTHING : Assembly.Needs.STORE;
        try (var store = assembly.part(entry, "status", needs, false)) {
            sends.run();
            try (var nothing = store.list("blocks/")) {
                var _ = nothing.findFirst();
            }
        } catch (UncheckedIOException failed) {
            throw failed.getCause();
        }
    }

    /** The volumes on this store. @throws IOException if its directory lacks the part of one of them */
    private List<VolumeSpec> requireUsers(String name) throws IOException {
        var users = volumes.readable().stream().filter(spec -> spec.stores().contains(name)).toList();
        for (var spec : users) {
            requireDirectory(spec, name);
        }
        return users;
    }

    /** @throws IOException if the volume's part of this store is not there, or not the volume's */
    private void requirePart(VolumeSpec spec, String store) throws IOException {
        try (var part = parts.openStore(spec, store)) {
            Ownership.require(part, spec, store);
        }
    }

    /** @throws IOException if a store in a directory is missing, or the volume's part of it; others are not asked */
    public void requireDirectories(VolumeSpec spec) throws IOException {
        for (var store : spec.stores()) {
            requireDirectory(spec, store);
        }
    }

    private void requireDirectory(VolumeSpec spec, String store) throws IOException {
        if (stores.find(store).url().scheme() == StoreUrl.Scheme.FILE) {
            requirePart(spec, store);
        }
    }

    /**
     * Requires one store of the volume. For a reader that stays open; a writer asks its stores anyway.
     *
     * @throws IOException if none of its stores is there
     */
    public void requireAny(String name) throws IOException {
        var names = volumes.find(name).stores();
        IOException first = null;
        for (var store : names) {
            try {
                requirePart(volumes.find(name), store);
                return;
            } catch (IOException away) {
                first = first == null ? away : first;
            }
        }
        throw first;
    }

    /** How many bytes the store can still take; empty if that is unknown. */
    public OptionalLong free(StoreEntry store) throws IOException {
        return assembly.free(store);
    }

    /** Whether the disk of a store has no inode left. */
    public boolean hasNoInodes(StoreEntry store) {
        return assembly.hasNoInodes(store);
    }

    /**
     * Tries a store out with a few objects of its own, and removes them. A directory without the volumes that are on
     * the store is not the store: its disk may not be mounted.
     *
     * @throws Refusal UNAVAILABLE, DAMAGED
     */
    public List<StoreProbe.Step> probe(String name, StoreProbe probe) throws IOException {
        var entry = stores.find(name);
        requireUsers(name);
        var url = entry.url();
        String prefix = StoreProbe.PREFIX + UUID.randomUUID().toString().substring(0, 8);
        var needs = entry.builtIn() ? Assembly.Needs.NOTHING : Assembly.Needs.STORE;
        List<StoreProbe.Step> steps;
        try (var store = parts.chaos().over(name, assembly.probed(entry, prefix, needs));
                var whole = assembly.store(entry)) {
            steps = probe.run(name, store);
            for (String left : StoreProbe.removeLeft(whole, clock.instant())) {
                assembly.tidy(url, left);
            }
        } catch (IOException | RuntimeException failed) {
            tidyAfter(failed, url, prefix);
            throw failed;
        }
        assembly.tidy(url, prefix);
        return steps;
    }

    /**
     * What the server of a bucket can do; nothing for a store that is none. Puts two small objects, and removes them.
     *
     * @throws IOException if the server does not answer, or refuses
     */
    public List<Ability> abilities(StoreUrl url, Set<Ability.Kind> kinds) throws IOException {
        return assembly.abilities(url, StoreProbe.PREFIX + UUID.randomUUID().toString().substring(0, 8), kinds);
    }

    private void tidyAfter(Exception failed, StoreUrl url, String prefix) {
        try {
            assembly.tidy(url, prefix);
        } catch (IOException | RuntimeException second) {
            failed.addSuppressed(second);
        }
    }
}
