package volsh.lifecycle;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import volsh.assembly.Assembly;
import volsh.assembly.Stores;
import volsh.assembly.VolumeParts;
import volsh.block.BlockStore;
import volsh.block.StoreUrl;
import volsh.catalog.Catalog;
import volsh.catalog.DefaultStore;
import volsh.catalog.Host;
import volsh.catalog.Ownership;
import volsh.catalog.Records;
import volsh.catalog.Refusal;
import volsh.catalog.Refusal.Reason;
import volsh.catalog.StoreEntry;
import volsh.catalog.VolumeSpec;
import volsh.ship.AttachedElsewhereException;
import volsh.ship.MovedOnException;
import volsh.ship.Replicas;
import volsh.ship.Restore;
import volsh.ship.ShipperLiveness;

/**
 * Makes a volume of this machine from a store alone. Its metadata is restored beside all others, under a name that
 * nothing looks for; only then, with the catalog locked, the volume is taken over in the store and gets its place and
 * its name here. A failure before that has changed nothing; after a later one it can be run again.
 */
public final class Attachment {
    private static final String DRAFT = ".attaching-";
    private static final int ATTEMPTS_MAX = 5;

    private final Catalog catalog;
    private final VolumeParts parts;
    private final Assembly assembly;
    private final Attachables attachables;
    private final Stores stores;
    private final InstantSource clock;

    public Attachment(Catalog catalog, VolumeParts parts, Assembly assembly, Stores stores, InstantSource clock) {
        this.catalog = catalog;
        this.parts = parts;
        this.assembly = assembly;
        this.attachables = new Attachables(assembly);
        this.stores = stores;
        this.clock = clock;
    }

    // ---- checking

    /** What would be attached, and the store it would be in. */
    public record Prepared(Attachable found, VolumeSpec spec, StoreEntry store, boolean newStore) {}

    public Prepared check(AttachRequest request) throws IOException {
        var found = attachables.choose(request);
        var store = store(request, nameIn(found));
        boolean known = stores.names().contains(store.name());
        var spec = found.spec().in(found.number(), store.name()).renamed(request.as().orElse(found.spec().name()));
        requireAbsent(spec);
        requireStores(spec, store.name());
        if (!request.force()) {
            requireQuiet(found);
        }
        return new Prepared(found, spec, store, !known);
    }

    /** The store as the catalog knows it, or would: by the name asked for, or the one it had, or that with a number. */
    StoreEntry store(AttachRequest request, String usual) throws IOException {
        if (request.store().isPresent()) {
            String name = request.store().get();
            return isSame(name, request.url()) ? stores.find(name) : stores.checkAdd(name, request.url());
        }
        for (var name : stores.names()) {
            if (isSame(name, request.url())) {
                return stores.find(name);
            }
        }
        String name = usual.equals(DefaultStore.NAME) ? "attached" : usual;
        for (int number = 2; stores.names().contains(name); number++) {
            name = usual + "-" + number;
        }
        return stores.checkAdd(name, request.url());
    }

    /** What the store was called where the volume was last. */
    private static String nameIn(Attachable found) throws Refusal {
        var names = found.spec().spread().stores();
        if (found.number() > Math.max(1, names.size())) {
            throw new Refusal(Reason.DAMAGED,
                    "volume '%s' has no store of number %d".formatted(found.spec().name(), found.number()));
        }
        return names.isEmpty() ? found.spec().store() : names.get(found.number() - 1);
    }

    private boolean isSame(String name, StoreUrl url) throws IOException {
        return stores.names().contains(name) && stores.find(name).url().equals(url);
    }

    /** The other stores of a volume must be known here by the same names. @throws Refusal NOT_FOUND */
    void requireStores(VolumeSpec spec, String attached) throws IOException {
        for (var name : spec.stores()) {
            if (!name.equals(attached)) {
                stores.find(name);
            }
        }
    }

    void requireAbsent(VolumeSpec spec) throws IOException {
        for (var kind : List.of(Catalog.VOLUMES, Catalog.DESTROYING)) {
            for (var here : catalog.list(kind, Records::volume)) {
                if (here.id().equals(spec.id())) {
                    throw new Refusal(Reason.CONFLICT, "the volume is here already, as '%s'".formatted(here.name()),
                            "volsh volume show " + here.name());
                }
                if (here.name().equals(spec.name())) {
                    throw new Refusal(Reason.CONFLICT, "there is another volume '%s' here".formatted(spec.name()),
                            "give it another name: --as %s-2".formatted(spec.name()));
                }
            }
        }
    }

    private void requireQuiet(Attachable found) throws Refusal {
        for (var user : found.users()) {
            boolean recent = user.time().plus(ShipperLiveness.SILENCE).isAfter(clock.instant());
            boolean killed = user.host().equals(Host.name()) && ProcessHandle.of(user.pid()).isEmpty();
            if (recent && !killed) {
                throw new Refusal(Reason.BUSY, "volume '%s' is in use".formatted(found.spec().name()),
                        "take it away from there, which loses what was changed there and not shipped: --force")
                        .detail("by process %d on %s, at %s".formatted(user.pid(), user.host(), user.time()));
            }
        }
    }

    // ---- attaching

    public VolumeSpec run(AttachRequest request, AttachRequest.Watcher watcher) throws IOException {
        for (int attempt = 1; ; attempt++) {
            try {
                return attempt(request, watcher);
            } catch (MovedOnException meanwhile) {
                if (attempt == ATTEMPTS_MAX) {
                    throw meanwhile;
                }
            }
        }
    }

    private VolumeSpec attempt(AttachRequest request, AttachRequest.Watcher watcher) throws IOException {
        var prepared = check(request);
        removeLeftovers(prepared.spec());
        var draft = parts.directories().resolve(prepared.spec().id() + DRAFT + ProcessHandle.current().pid());
        try {
            assembly.disk().makeDirectories(draft);
            return restore(request, prepared, draft, watcher);
        } finally {
            remove(draft);
        }
    }

    private VolumeSpec restore(AttachRequest request, Prepared prepared, Path draft, AttachRequest.Watcher watcher)
            throws IOException {
        var spec = prepared.spec();
        try (var store = shipped(request, prepared)) {
            var engine = assembly.createMetadata(draft);
            try {
                var restore = new Restore(store, spec.id(), engine, bytes -> tell(watcher, bytes));
                restore.run();
                requireAlive(restore, spec);
                return catalog.exclusively(() -> {
                    var now = check(request);   // it may have another label by now, and its name may be taken
                    takeOver(restore, now.spec());
                    engine.close();   // before its directory moves
                    place(now, draft);
                    return now.spec();
                });
            } finally {
                engine.close();
            }
        }
    }

    /**
     * All stores that have the metadata.
     * @throws Refusal UNAVAILABLE if one is away, unless that is known: it may have newer ones
     */
    private BlockStore shipped(AttachRequest request, Prepared prepared) throws IOException {
        var spec = prepared.spec();
        var there = new ArrayList<Replicas.Source>();
        var away = new ArrayList<String>();
        for (var name : VolumeParts.shippedTo(spec)) {
            boolean asked = name.equals(prepared.store().name());
            var entry = asked ? prepared.store() : stores.find(name);
            try (var store = assembly.part(entry, spec.prefix(), Assembly.Needs.PART, false)) {
                Ownership.require(store, spec, name);
                there.add(new Replicas.Source(name,
                        () -> assembly.part(entry, spec.prefix(), Assembly.Needs.PART, false)));
            } catch (IOException failed) {
                if (asked) {
                    throw failed;
                }
                away.add("store '%s': %s".formatted(name, failed.getMessage()));
            }
        }
        if (!away.isEmpty() && !request.force()) {
            var refusal = new Refusal(Reason.UNAVAILABLE, ("not all stores with the metadata of volume '%s' are there: "
                    + "a missing one may have newer metadata, or a writer")
                    .formatted(spec.name()), "if the missing stores are lost for good: --force");
            for (var each : away) {
                refusal = refusal.detail(each);
            }
            throw refusal;
        }
        return there.size() == 1 ? there.getFirst().opening().open() : new Replicas(there);
    }

    private static void requireAlive(Restore restore, VolumeSpec spec) throws IOException {
        if (restore.isRetired()) {
            throw new Refusal(Reason.CONFLICT,
                    "the destruction of volume '%s' has begun: some of its data is gone".formatted(spec.name()));
        }
    }

    private static void tell(AttachRequest.Watcher watcher, long bytes) {
        watcher.read(bytes);
        if (watcher.cancelled()) {
            throw new UncheckedIOException(new InterruptedIOException("stopped; nothing was attached"));
        }
    }

    private void takeOver(Restore restore, VolumeSpec spec) throws IOException {
        try {
            restore.takeOver(VolumeParts.identity(spec), Records.toBytes(spec), clock);
        } catch (AttachedElsewhereException meanwhile) {
            throw new Refusal(Reason.BUSY, "another host is attaching volume '%s'".formatted(spec.name()), meanwhile)
                    .detail("%s, at %s".formatted(meanwhile.fence().host(), meanwhile.fence().since()));
        }
    }

    /** Gives the restored metadata their place and the volume its name. The catalog is locked. */
    private void place(Prepared prepared, Path draft) throws IOException {
        var spec = prepared.spec();
        parts.removeMetadata(spec);   // of an attachment that was killed before this volume had a name
        if (prepared.newStore()) {
            stores.put(prepared.store());
        }
        try {
            assembly.disk().rename(draft, parts.directory(spec));
            assembly.disk().syncDirectory(parts.directories());
            catalog.put(Catalog.VOLUMES, spec.name(), Records.toBytes(spec));
        } catch (IOException | RuntimeException failed) {
            if (prepared.newStore()) {
                stores.forget(prepared.store());
            }
            throw failed;
        }
    }

    private void removeLeftovers(VolumeSpec spec) throws IOException {
        for (var left : assembly.disk().list(parts.directories())) {
            if (left.name().startsWith(spec.id() + DRAFT) && isOver(left.name())) {
                remove(parts.directories().resolve(left.name()));
            }
        }
    }

    private static boolean isOver(String draft) {
        long pid = Long.parseLong(draft.substring(draft.lastIndexOf('-') + 1));
        return pid == ProcessHandle.current().pid() || ProcessHandle.of(pid).isEmpty();
    }

    private void remove(Path draft) throws IOException {
        for (var file : assembly.disk().list(draft)) {
            assembly.disk().delete(draft.resolve(file.name()));
        }
        Files.deleteIfExists(draft);
    }
}
