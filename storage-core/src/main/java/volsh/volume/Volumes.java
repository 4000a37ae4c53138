package volsh.volume;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.UUID;
import java.util.function.UnaryOperator;
import volsh.block.BlockKey;
import volsh.block.BlockStore;
import volsh.block.NoSuchBlockException;
import volsh.block.StoreUrl;
import volsh.fs.Owner;
import volsh.meta.MetaEngine;
import volsh.meta.Session;
import volsh.meta.Superblock;
import volsh.volume.Refusal.Reason;

/**
 * The front door: everything commands and scripts do with volumes and stores. Safe to use from several processes at once;
 * what fails leaves nothing half done.
 */
public final class Volumes {
    private static final String VOLUMES = "volumes";
    private static final String STORES = "stores";
    private static final String SPEC = "volume";
    private static final BlockKey OWNER = new BlockKey("owner");
    private static final int ROOT_MODE = 0755;

    private final Home home;
    private final InstantSource clock;
    private final Owner owner;
    private final Assembly assembly = new Assembly();
    private final Catalog catalog;

    /** {@code owner} is who new volumes' roots belong to. */
    public Volumes(Home home, InstantSource clock, Owner owner) {
        this.home = home;
        this.clock = clock;
        this.owner = owner;
        this.catalog = new Catalog(home.state().resolve("catalog"), assembly.disk());
    }

    // ---- volumes

    public List<VolumeSpec> list() throws IOException {
        return catalog.list(VOLUMES, Records::volume);
    }

    public List<String> names() throws IOException {
        return catalog.names(VOLUMES);
    }

    /** @throws Refusal NOT_FOUND */
    public VolumeSpec find(String name) throws IOException {
        VolumeSpec.requireName("volume", name);
        return catalog.find(VOLUMES, name, Records::volume).orElseThrow(() -> missing("volume", name, "volsh volume list"));
    }

    public boolean exists(String name) throws IOException {
        VolumeSpec.requireName("volume", name);
        return catalog.find(VOLUMES, name, Records::volume).isPresent();
    }

    /** What a new volume would be, without making it. @throws Refusal NOT_FOUND if its store is unknown */
    public VolumeSpec design(VolumeDraft draft) throws IOException {
        var id = UUID.randomUUID();
        return new VolumeSpec(
                draft.name(), id, storeNamed(draft.store().orElse(DefaultStore.NAME)).name(),
                draft.name() + "-" + id.toString().substring(0, 8),
                draft.blockSize().orElse(draft.profile().blockSize()),
                draft.compression().orElse(draft.profile().compression()),
                draft.inline().orElse(draft.profile().inline()),
                draft.labels(), clock.instant().truncatedTo(ChronoUnit.MILLIS));
    }

    /** Makes a volume. @throws Refusal CONFLICT if the name is taken */
    public VolumeSpec create(VolumeDraft draft) throws IOException {
        var spec = design(draft);
        return catalog.exclusively(() -> {
            requireFree(draft.name());
            return build(spec);
        });
    }

    /** The result of {@link #ensure}. */
    public record Ensured(VolumeSpec spec, boolean created) {}

    /** Makes the volume unless it is there. @throws Refusal CONFLICT if it is there with other properties for life */
    public Ensured ensure(VolumeDraft draft) throws IOException {
        var wanted = design(draft);
        return catalog.exclusively(() -> {
            var found = catalog.find(VOLUMES, draft.name(), Records::volume);
            if (found.isEmpty()) {
                return new Ensured(build(wanted), true);
            }
            requireSame(found.get(), draft);
            return new Ensured(found.get(), false);
        });
    }

    private static void requireSame(VolumeSpec found, VolumeDraft draft) throws Refusal {
        if (draft.blockSize().isPresent() && !draft.blockSize().get().equals(found.blockSize())) {
            throw different(found.name(), "block size", found.blockSize(), draft.blockSize().get());
        }
        if (draft.store().isPresent() && !draft.store().get().equals(found.store())) {
            throw different(found.name(), "store", found.store(), draft.store().get());
        }
    }

    private static Refusal different(String name, String what, Object is, Object wanted) {
        return new Refusal(Reason.CONFLICT, "volume '%s' exists with another %s, which is for life: %s, not %s".formatted(name, what, is, wanted),
                "volsh volume show " + name);
    }

    private VolumeSpec build(VolumeSpec spec) throws IOException {
        var directory = directory(spec);
        try (var store = openStore(spec)) {
            claim(store, spec);
            try {
                assembly.disk().makeDirectories(directory);
                try (var engine = assembly.createMetadata(directory)) {
                    new Superblock(engine, clock).format(owner, ROOT_MODE, SPEC, Records.toBytes(spec));
                    engine.sync();
                }
                catalog.put(VOLUMES, spec.name(), Records.toBytes(spec));
                return spec;
            } catch (IOException | RuntimeException failed) {
                undo(failed, store, directory);
                throw failed;
            }
        }
    }

    /** Marks the prefix as this volume's. @throws Refusal CONFLICT if it is another's */
    private void claim(BlockStore store, VolumeSpec spec) throws IOException {
        try (var there = store.list("")) {
            if (there.findAny().isPresent()) {
                throw new Refusal(Reason.CONFLICT, "store %s has objects below %s already".formatted(spec.store(), spec.prefix()));
            }
        } catch (UncheckedIOException failed) {
            throw failed.getCause();
        }
        store.put(OWNER, ByteBuffer.wrap(spec.id().toString().getBytes(StandardCharsets.US_ASCII)));
    }

    private void undo(Exception failed, BlockStore store, Path directory) {
        try {
            store.delete(OWNER);
            removeMetadata(directory);
        } catch (IOException second) {
            failed.addSuppressed(second);
        }
    }

    /** Opens a volume. {@code purpose} tells others why it is in use. @throws Refusal NOT_FOUND, CONFLICT if the store belongs to another */
    public Volume open(String name, Access access, String purpose) throws IOException {
        var known = find(name);
        var engine = openMetadata(known);
        BlockStore store = null;
        try {
            var spec = Records.volume(new Superblock(engine, clock).setting(SPEC)
                    .orElseThrow(() -> new IOException("the metadata of volume '%s' has no volume record".formatted(name))));
            store = openStore(known);
            if (access == Access.WRITE) {
                requireOwned(store, known);
            }
            return new Volume(spec, access, purpose, engine, store, clock);
        } catch (IOException | RuntimeException failed) {
            closeAfter(failed, engine);
            closeAfter(failed, store);
            throw failed;
        }
    }

    private MetaEngine openMetadata(VolumeSpec spec) throws IOException {
        try {
            return assembly.openMetadata(directory(spec));
        } catch (NoSuchFileException gone) {
            throw new Refusal(
                    Reason.UNAVAILABLE, "the metadata of volume '%s' is missing: %s".formatted(spec.name(), Assembly.metadata(directory(spec))), gone);
        }
    }

    private static void requireOwned(BlockStore store, VolumeSpec spec) throws IOException {
        var mark = ByteBuffer.allocate(64);
        try {
            store.get(OWNER, 0, mark);
        } catch (NoSuchBlockException none) {
            throw new Refusal(Reason.UNAVAILABLE, "store '%s' has no data of volume '%s': is it the right place?".formatted(spec.store(), spec.name()),
                    "volsh store show " + spec.store());
        }
        var found = new String(mark.array(), 0, mark.position(), StandardCharsets.US_ASCII);
        if (!found.equals(spec.id().toString())) {
            throw new Refusal(Reason.CONFLICT, "store '%s' holds another volume (%s) where '%s' should be".formatted(spec.store(), found, spec.name()));
        }
    }

    private static void closeAfter(Exception failed, AutoCloseable part) {
        try {
            if (part != null) {
                part.close();
            }
        } catch (Exception second) {
            failed.addSuppressed(second);
        }
    }

    /** Who has the volume open now. */
    public List<Session> sessions(String name) throws IOException {
        try (var engine = openMetadata(find(name))) {
            return new Superblock(engine, clock).sessions().list();
        }
    }

    /** Changes what may change: compression, inline limit, labels. New writes follow it. */
    public VolumeSpec set(String name, UnaryOperator<VolumeSpec> change) throws IOException {
        return catalog.exclusively(() -> {
            var before = find(name);
            var after = change.apply(before);
            try (var engine = openMetadata(before)) {
                new Superblock(engine, clock).set(SPEC, Records.toBytes(after));
                engine.sync();
            }
            catalog.put(VOLUMES, after.name(), Records.toBytes(after));
            return after;
        });
    }

    public VolumeSpec rename(String name, String newName) throws IOException {
        VolumeSpec.requireName("volume", newName);
        return catalog.exclusively(() -> {
            var before = find(name);
            requireFree(newName);
            var after = before.renamed(newName);
            catalog.put(VOLUMES, newName, Records.toBytes(after));
            try (var engine = openMetadata(before)) {
                new Superblock(engine, clock).set(SPEC, Records.toBytes(after));
                engine.sync();
            } catch (IOException failed) {
                catalog.remove(VOLUMES, newName);
                throw failed;
            }
            catalog.remove(VOLUMES, name);
            return after;
        });
    }

    /** Deletes the volume with all its data. Stopped half way, it can be called again. @throws Refusal BUSY if somebody has it open */
    public void destroy(String name, boolean force) throws IOException {
        catalog.exclusively(() -> {
            var spec = find(name);
            if (!force) {
                requireIdle(spec);
            }
            try (var store = openStore(spec)) {
                deleteBlocks(store);
            }
            removeMetadata(directory(spec));
            catalog.remove(VOLUMES, name);
            return null;
        });
    }

    private void requireIdle(VolumeSpec spec) throws IOException {
        try (var engine = openMetadata(spec)) {
            var sessions = new Superblock(engine, clock).sessions();
            sessions.fenceExpired();
            var live = sessions.list();
            if (!live.isEmpty()) {
                var first = live.getFirst();
                throw new Refusal(Reason.BUSY, "volume '%s' is in use: %s by process %d on %s%s".formatted(
                        spec.name(), first.purpose(), first.pid(), first.host(), live.size() > 1 ? " and %d more".formatted(live.size() - 1) : ""));
            }
        }
    }

    /** The mark goes last: until then the prefix is still known to be this volume's. */
    private static void deleteBlocks(BlockStore store) throws IOException {
        try (var blocks = store.list("")) {
            for (var it = blocks.iterator(); it.hasNext(); ) {
                var block = it.next();
                if (!block.key().equals(OWNER)) {
                    store.delete(block.key());
                }
            }
        } catch (UncheckedIOException failed) {
            throw failed.getCause();
        }
        store.delete(OWNER);
    }

    private void removeMetadata(Path directory) throws IOException {
        for (var file : assembly.disk().list(directory)) {
            assembly.disk().delete(directory.resolve(file.name()));
        }
        Files.deleteIfExists(directory);
    }

    private void requireFree(String name) throws IOException {
        if (exists(name)) {
            throw new Refusal(Reason.CONFLICT, "volume '%s' exists already".formatted(name), "volsh volume show " + name);
        }
    }

    private Path directory(VolumeSpec spec) {
        return home.state().resolve("volumes").resolve(spec.id().toString());
    }

    private BlockStore openStore(VolumeSpec spec) throws IOException {
        return assembly.store(storeNamed(spec.store()).url(), spec.prefix());
    }

    // ---- stores

    public List<StoreEntry> stores() throws IOException {
        return catalog.list(STORES, Records::store);
    }

    /** @throws Refusal NOT_FOUND */
    public StoreEntry storeNamed(String name) throws IOException {
        VolumeSpec.requireName("store", name);
        var found = catalog.find(STORES, name, Records::store);
        if (found.isEmpty() && name.equals(DefaultStore.NAME)) {
            return DefaultStore.in(home, clock);
        }
        return found.orElseThrow(() -> missing("store", name, "volsh store list"));
    }

    /** Remembers a store under a name. @throws Refusal CONFLICT if the name is taken by another URL */
    public StoreEntry addStore(String name, StoreUrl url) throws IOException {
        var entry = new StoreEntry(name, url, clock.instant().truncatedTo(ChronoUnit.MILLIS));
        return catalog.exclusively(() -> {
            var found = catalog.find(STORES, name, Records::store);
            if (found.isPresent()) {
                throw new Refusal(Reason.CONFLICT, "store '%s' exists already: %s".formatted(name, found.get().url()), "volsh store show " + name);
            }
            catalog.put(STORES, name, Records.toBytes(entry));
            return entry;
        });
    }

    /** Forgets a store; its objects stay where they are. @throws Refusal BUSY if a volume uses it */
    public void removeStore(String name) throws IOException {
        catalog.exclusively(() -> {
            storeNamed(name);
            for (var volume : list()) {
                if (volume.store().equals(name)) {
                    throw new Refusal(Reason.BUSY, "store '%s' is used by volume '%s'".formatted(name, volume.name()), "volsh volume destroy " + volume.name());
                }
            }
            catalog.remove(STORES, name);
            return null;
        });
    }

    /** Opens the store itself, all volumes' blocks below it. */
    public BlockStore openStore(String name) throws IOException {
        return assembly.store(storeNamed(name).url());
    }

    private static Refusal missing(String what, String name, String hint) {
        return new Refusal(Reason.NOT_FOUND, "no such %s: '%s'".formatted(what, name), hint);
    }
}
