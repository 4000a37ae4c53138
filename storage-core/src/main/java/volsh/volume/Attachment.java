package volsh.volume;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import volsh.block.BlockKey;
import volsh.block.BlockStore;
import volsh.block.Prefixed;
import volsh.block.StoreUrl;
import volsh.ship.Alive;
import volsh.ship.AttachedElsewhereException;
import volsh.ship.MovedOnException;
import volsh.ship.Restore;
import volsh.ship.Shipments;
import volsh.volume.Refusal.Reason;

/**
 * Makes a volume of this machine from a store alone. Its metadata is restored beside all others, under a name that nothing
 * looks for; only then, with the catalog locked, the volume is taken over in the store and gets its place and its name here.
 * What fails before that has changed nothing anywhere; what fails behind it can be run again.
 */
final class Attachment {
    private static final String DRAFT = ".attaching-";
    private static final int ID_LENGTH = 64;
    private static final int ATTEMPTS_MAX = 5;

    private final Catalog catalog;
    private final VolumeParts parts;
    private final Assembly assembly;
    private final Stores stores;
    private final InstantSource clock;

    Attachment(Catalog catalog, VolumeParts parts, Assembly assembly, Stores stores, InstantSource clock) {
        this.catalog = catalog;
        this.parts = parts;
        this.assembly = assembly;
        this.stores = stores;
        this.clock = clock;
    }

    // ---- finding

    /** Everything there that can be attached, by name. */
    List<Attachable> find(StoreUrl url) throws IOException {
        try (var whole = assembly.store(url)) {
            var found = new ArrayList<Attachable>();
            for (var key : marks(whole)) {
                var part = new Prefixed(whole, key.text().substring(Dispatch.INDEX.length()));
                var id = id(whole, key);
                var shipments = Shipments.of(part, id);
                if (shipments.isPresent()) {
                    found.add(attachable(shipments.get(), part));
                }
            }
            found.sort((a, b) -> a.spec().name().compareTo(b.spec().name()));
            return found;
        }
    }

    private static List<BlockKey> marks(BlockStore whole) throws IOException {
        try (var listed = whole.list(Dispatch.INDEX)) {
            return listed.map(BlockStore.Listed::key).toList();
        } catch (UncheckedIOException failed) {
            throw failed.getCause();
        }
    }

    private static UUID id(BlockStore whole, BlockKey key) throws IOException {
        var text = ByteBuffer.allocate(ID_LENGTH);
        whole.get(key, 0, text);
        try {
            return UUID.fromString(new String(text.array(), 0, text.position(), StandardCharsets.US_ASCII));
        } catch (IllegalArgumentException nonsense) {
            throw new Refusal(Reason.DAMAGED, "object %s of the store names no volume".formatted(key), nonsense);
        }
    }

    private static Attachable attachable(Shipments shipments, BlockStore part) throws IOException {
        return new Attachable(Records.volume(shipments.about()), shipments.host(), shipments.time(), shipments.bytes(),
                Alive.in(part));
    }

    /** The one volume meant. @throws Refusal NOT_FOUND, or INVALID if there are several */
    private Attachable choose(AttachRequest request) throws IOException {
        var found = find(request.url());
        var named = request.volume().isEmpty() ? found
                : found.stream().filter(each -> each.spec().name().equals(request.volume().get())
                        || each.spec().id().toString().equals(request.volume().get())).toList();
        if (named.size() == 1) {
            return named.getFirst();
        }
        var refusal = named.isEmpty()
                ? new Refusal(Reason.NOT_FOUND, request.volume().isEmpty() ? "the store %s has no volume that ships its metadata".formatted(request.url())
                        : "the store %s has no volume '%s' that ships its metadata".formatted(request.url(), request.volume().get()))
                : new Refusal(Reason.INVALID, "the store %s has several volumes: say which one".formatted(request.url()),
                        "volsh volume attach %s --volume %s".formatted(request.url(), named.getFirst().spec().id()));
        for (var each : found) {
            refusal = refusal.detail("%s (%s), shipped %s by %s".formatted(
                    each.spec().name(), each.spec().id(), each.time(), each.host()));
        }
        throw refusal;
    }

    // ---- checking

    /** What would be attached, and the store it would be in. */
    record Prepared(Attachable found, VolumeSpec spec, StoreEntry store, boolean newStore) {}

    Prepared check(AttachRequest request) throws IOException {
        var found = choose(request);
        var store = store(request, found.spec());
        boolean known = stores.names().contains(store.name());
        var spec = found.spec().in(store.name()).renamed(request.as().orElse(found.spec().name()));
        requireAbsent(spec);
        if (!request.force()) {
            requireQuiet(found, request);
        }
        return new Prepared(found, spec, store, !known);
    }

    /** The store as the catalog knows it, or would: by the name asked for, or the one it had, or that with a number. */
    private StoreEntry store(AttachRequest request, VolumeSpec spec) throws IOException {
        if (request.store().isPresent()) {
            String name = request.store().get();
            return isSame(name, request.url()) ? stores.find(name) : stores.checkAdd(name, request.url());
        }
        for (var name : stores.names()) {
            if (isSame(name, request.url())) {
                return stores.find(name);
            }
        }
        String name = spec.store().equals(DefaultStore.NAME) ? "attached" : spec.store();
        for (int number = 2; stores.names().contains(name); number++) {
            name = spec.store() + "-" + number;
        }
        return stores.checkAdd(name, request.url());
    }

    private boolean isSame(String name, StoreUrl url) throws IOException {
        return stores.names().contains(name) && stores.find(name).url().equals(url);
    }

    private void requireAbsent(VolumeSpec spec) throws IOException {
        for (var kind : List.of(Volumes.VOLUMES, Volumes.DESTROYING)) {
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

    private void requireQuiet(Attachable found, AttachRequest request) throws Refusal {
        for (var user : found.users()) {
            boolean recent = user.time().plus(Alive.SILENCE).isAfter(clock.instant());
            boolean killed = user.host().equals(Host.name()) && ProcessHandle.of(user.pid()).isEmpty();
            if (recent && !killed) {
                throw new Refusal(Reason.BUSY, "volume '%s' is in use".formatted(found.spec().name()),
                        "take it away from there, which loses what was changed there and not shipped: --force")
                        .detail("by process %d on %s, at %s".formatted(user.pid(), user.host(), user.time()));
            }
        }
    }

    // ---- attaching

    VolumeSpec run(AttachRequest request, AttachRequest.Watcher watcher) throws IOException {
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
            restore(request, prepared, draft, watcher);
            return prepared.spec();
        } finally {
            remove(draft);
        }
    }

    private void restore(AttachRequest request, Prepared prepared, Path draft, AttachRequest.Watcher watcher) throws IOException {
        var spec = prepared.spec();
        try (var store = assembly.store(request.url(), spec.prefix())) {
            Ownership.require(store, spec);
            var engine = assembly.createMetadata(draft);
            try {
                var restore = new Restore(store, spec.id(), engine, bytes -> tell(watcher, bytes));
                restore.run();
                requireAlive(restore, spec);
                catalog.exclusively(() -> {
                    check(request);
                    takeOver(restore, spec);
                    engine.close();   // before its directory moves
                    place(prepared, draft);
                    return null;
                });
            } finally {
                engine.close();
            }
        }
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
            throw new Refusal(Reason.BUSY, "another host attaches volume '%s', too".formatted(spec.name()), meanwhile)
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
            catalog.put(Volumes.VOLUMES, spec.name(), Records.toBytes(spec));
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
