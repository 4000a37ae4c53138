package volsh.lifecycle;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.time.InstantSource;
import java.util.Optional;
import volsh.assembly.Assembly;
import volsh.assembly.Stores;
import volsh.assembly.VolumeParts;
import volsh.block.StoreUrl;
import volsh.catalog.Catalog;
import volsh.catalog.Host;
import volsh.catalog.Ownership;
import volsh.catalog.Records;
import volsh.catalog.Refusal;
import volsh.catalog.Refusal.Reason;
import volsh.catalog.StoreEntry;
import volsh.catalog.VolumeDraft;
import volsh.catalog.VolumeSpec;
import volsh.engine.postgres.PostgresMetaEngine;
import volsh.engine.postgres.PostgresUrl;
import volsh.fs.ShellWord;
import volsh.inventory.Journals;
import volsh.inventory.Superblock;
import volsh.writeback.JournalDirectory;

/**
 * Makes a volume whose metadata is in a database known to this machine. Its store is found by the URL that was written
 * into the metadata when it was made, or is one that this machine knows by name.
 */
public final class SharedAttachment {
    /** The setting with the URL of the store. */
    public static final String STORE = "store";

    private final Catalog catalog;
    private final VolumeParts parts;
    private final Assembly assembly;
    private final Stores stores;
    private final Attachment attachment;
    private final InstantSource clock;

    public SharedAttachment(Catalog catalog, VolumeParts parts, Assembly assembly, Stores stores, Attachment attachment,
            InstantSource clock) {
        this.catalog = catalog;
        this.parts = parts;
        this.assembly = assembly;
        this.stores = stores;
        this.attachment = attachment;
        this.clock = clock;
    }

    /** What would be attached, and the store it would be in. */
    public record Prepared(VolumeSpec spec, PostgresUrl database, StoreEntry store, boolean newStore) {}

    public static byte[] toBytes(StoreUrl url) {
        return url.toString().getBytes(UTF_8);
    }

    /** @throws Refusal INVALID if what is asked for cannot be shared */
    static void requireShareable(VolumeDraft draft) throws Refusal {
        if (draft.shipsMetadata().orElse(false)) {
            throw notShipped();
        }
        if (draft.store().isEmpty()) {
            throw new Refusal(Reason.INVALID, "a volume with metadata in a database needs a store that other machines "
                    + "can reach", "volsh store list", "name one: --store NAME");
        }
    }

    public static Refusal notShipped() {
        return new Refusal(Reason.INVALID,
                "metadata in a database is not shipped: other machines attach the volume from there");
    }

    public Prepared check(PostgresUrl wanted, Optional<String> as, Optional<String> storeName) throws IOException {
        var url = chosen(wanted);
        try (var engine = assembly.sharedMetadata().open(url, PostgresMetaEngine.volume(url))) {
            var superblock = new Superblock(engine, clock);
            var found = superblock.setting(Records.SPEC, Records::ofSetting).orElseThrow(() -> unfinished(url));
            var place = superblock.setting(STORE, value -> value.map(bytes -> StoreUrl.of(new String(bytes, UTF_8))))
                    .orElseThrow(() -> unfinished(url));
            var store = store(found, place, storeName);
            var spec = found.in(store.name()).renamed(as.orElse(url.volume()));
            attachment.requireAbsent(spec);
            attachment.requireStores(spec, store.name());
            return new Prepared(spec, url, store, !stores.names().contains(store.name()));
        } catch (NoSuchFileException none) {
            throw missing(url);
        }
    }

    /** A store that has this name here counts, wherever it is; whether it has the volume's data is looked at later. */
    private StoreEntry store(VolumeSpec found, StoreUrl place, Optional<String> name) throws IOException {
        if (name.isPresent() && stores.names().contains(name.get())) {
            return stores.find(name.get());
        }
        return attachment.store(new AttachRequest(place, Optional.empty(), Optional.empty(), name, false),
                found.store());
    }

    private static PostgresUrl chosen(PostgresUrl url) throws IOException {
        if (!url.volume().isEmpty()) {
            return url;
        }
        var names = PostgresMetaEngine.volumes(url);
        if (names.size() == 1) {
            return url.withVolume(names.getFirst());
        }
        if (names.isEmpty()) {
            throw new Refusal(Reason.NOT_FOUND, "there is no volume in %s".formatted(url));
        }
        throw new Refusal(Reason.INVALID, "there are several volumes in %s: %s".formatted(url, String.join(", ",
                names)), "name one: volsh volume attach %s".formatted(ShellWord.of(url.withVolume(names.getFirst()))));
    }

    private static Refusal missing(PostgresUrl url) throws IOException {
        var names = PostgresMetaEngine.volumes(url);
        return new Refusal(Reason.NOT_FOUND, "there is no volume '%s' in the database".formatted(url.volume()))
                .detail("%s has %s".formatted(url.withVolume(""),
                        names.isEmpty() ? "no volumes" : String.join(", ", names)));
    }

    private static Refusal unfinished(PostgresUrl url) {
        return new Refusal(Reason.CONFLICT,
                "volume '%s' is being created, or its creation was interrupted".formatted(url.volume()));
    }

    public VolumeSpec run(PostgresUrl url, Optional<String> as, Optional<String> storeName) throws IOException {
        return catalog.exclusively(() -> {
            var prepared = check(url, as, storeName);
            try (var store = assembly.part(prepared.store(), prepared.spec().prefix(), Assembly.Needs.PART, false)) {
                Ownership.require(store, prepared.spec());
            }
            place(prepared);
            return prepared.spec();
        });
    }

    /**
     * Asks the database too, but does not need it: one that is gone, or lets this machine in no more, must not keep the
     * volume here for ever.
     *
     * @return why the database could not be asked; empty if it was
     * @throws Refusal BUSY if a process of this machine has it open, or left bytes in a journal that are nowhere else
     */
    public Optional<IOException> requireNothingHere(VolumeSpec spec) throws IOException {
        var journals = parts.journals(spec, Optional.empty());
        if (java.nio.file.Files.isDirectory(journals) && !assembly.disk().list(journals).isEmpty()) {
            throw staged(spec);
        }
        try (var engine = parts.openMetadata(spec)) {
            if (new Journals(engine).list().stream().anyMatch(JournalDirectory::isHere)) {
                throw staged(spec);
            }
            var dead = parts.deadSessions(spec);
            var here = new Superblock(engine, clock).sessions().list().stream()
                    .filter(session -> session.host().equals(Host.name()) && !session.lease().isBefore(clock.instant())
                            && !dead.isDead(session))
                    .toList();
            if (!here.isEmpty()) {
                throw Destruction.busy(spec, here, "volsh mounts list");
            }
            return Optional.empty();
        } catch (Refusal busy) {
            if (busy.reason() == Reason.BUSY) {
                throw busy;
            }
            return Optional.of(busy);
        } catch (IOException away) {
            return Optional.of(away);
        }
    }

    private static Refusal staged(VolumeSpec spec) {
        return new Refusal(Reason.BUSY, "bytes of volume '%s' may be in a journal here, and nowhere else"
                .formatted(spec.name()), "store them: volsh cache flush " + spec.name(),
                "what would be lost: volsh volume detach %1$s --force --dry-run".formatted(spec.name()));
    }

    private void place(Prepared prepared) throws IOException {
        var spec = prepared.spec();
        if (prepared.newStore()) {
            stores.put(prepared.store());
        }
        try {
            assembly.sharedMetadata().write(parts.directory(spec), prepared.database());
            catalog.put(Catalog.VOLUMES, spec.name(), Records.toBytes(spec));
        } catch (IOException | RuntimeException failed) {
            if (prepared.newStore()) {
                stores.forget(prepared.store());
            }
            throw failed;
        }
    }
}
