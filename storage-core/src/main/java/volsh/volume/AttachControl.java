package volsh.volume;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import volsh.assembly.Assembly;
import volsh.assembly.Stores;
import volsh.assembly.VolumeParts;
import volsh.block.StoreUrl;
import volsh.catalog.Catalog;
import volsh.catalog.Refusal;
import volsh.catalog.Refusal.Reason;
import volsh.catalog.VolumeSpec;
import volsh.engine.postgres.PostgresUrl;
import volsh.lifecycle.AttachRequest;
import volsh.lifecycle.Attachable;
import volsh.lifecycle.Attachables;
import volsh.lifecycle.Attachment;
import volsh.lifecycle.SharedAttachment;
import volsh.ship.AttachedElsewhereException;
import volsh.ship.Fence;

/** Attaches volumes to this machine from their stores or from a database, and detaches them. */
public final class AttachControl {
    private final VolumeRegistry volumes;
    private final Catalog catalog;
    private final Stores stores;
    private final VolumeParts parts;
    private final Assembly assembly;
    private final InstantSource clock;

    AttachControl(VolumeRegistry volumes, Catalog catalog, Stores stores, VolumeParts parts, Assembly assembly,
            InstantSource clock) {
        this.volumes = volumes;
        this.catalog = catalog;
        this.stores = stores;
        this.parts = parts;
        this.assembly = assembly;
        this.clock = clock;
    }

    /** The volumes that a store has the metadata of, by name. */
    public List<Attachable> attachable(StoreUrl url) throws IOException {
        return new Attachables(assembly).find(url);
    }

    /** What would be attached, as it would be here. */
    public Attachable checkAttach(AttachRequest request) throws IOException {
        var prepared = attachment().check(request);
        var found = prepared.found();
        return new Attachable(prepared.spec(), found.host(), found.time(), found.bytes(), found.users(),
                found.number());
    }

    /**
     * Makes a volume of this machine from what its store has: everything that was shipped. The host that
     * had the volume before can no longer change it. A failure leaves nothing attached.
     *
     * @throws Refusal NOT_FOUND, INVALID if there are several, CONFLICT if it or another of that name is here, BUSY if
     *     it is in use
     */
    public VolumeSpec attach(AttachRequest request, AttachRequest.Watcher watcher) throws IOException {
        try {
            return attachment().run(request, watcher);
        } catch (UncheckedIOException stopped) {
            throw stopped.getCause();
        }
    }

    /** What {@link #attach(PostgresUrl, Optional, Optional)} would bring here. */
    public VolumeSpec checkAttach(PostgresUrl url, Optional<String> as, Optional<String> store) throws IOException {
        return shared().check(url, as, store).spec();
    }

    /**
     * Makes a volume whose metadata is in a database known to this machine, too. Nothing changes for other machines.
     *
     * @throws Refusal NOT_FOUND, INVALID if there are several and none is named, CONFLICT if it or another of that name
     *     is here
     */
    public VolumeSpec attach(PostgresUrl url, Optional<String> as, Optional<String> store) throws IOException {
        return shared().run(url, as, store);
    }

    /**
     * A volume that this machine forgot.
     *
     * @param unasked why the database could not be asked which sessions of this machine have it open, if it could not
     */
    public record Detached(VolumeSpec spec, Optional<IOException> unasked) {}

    /**
     * {@code force} also forgets a volume that is open here, and loses bytes that wait in journals here.
     *
     * @throws Refusal INVALID if its metadata is on this machine only, BUSY if unstored bytes of it are here
     */
    public Detached checkDetach(String name, boolean force) throws IOException {
        var spec = volumes.findToForget(name);
        if (parts.database(spec).isEmpty()) {
            throw new Refusal(Reason.INVALID, ("the metadata of volume '%s' is on this machine only: "
                    + "detaching the volume would lose it").formatted(name), "volsh volume show " + name);
        }
        return new Detached(spec, force ? Optional.empty() : shared().requireNothingHere(spec));
    }

    /** Forgets a volume whose metadata is in a database; the database, the store and other machines keep it. */
    public Detached detach(String name, boolean force) throws IOException {
        return catalog.exclusively(() -> {
            var detached = checkDetach(name, force);
            catalog.remove(catalog.contains(Catalog.VOLUMES, name) ? Catalog.VOLUMES : Catalog.DESTROYING, name);
            parts.forget(detached.spec());
            return detached;
        });
    }

    private SharedAttachment shared() {
        return new SharedAttachment(catalog, parts, assembly, stores, attachment(), clock);
    }

    /**
     * Ships what is committed and returns when it is in the store.
     * @throws Refusal INVALID if the volume does not ship
     */
    public VolumeStatus ship(String name) throws IOException {
        var spec = checkShip(name).spec();
        try (var engine = parts.openMetadata(spec); var store = parts.openShipped(spec)) {
            parts.shipping(spec, engine, store).ship();
        }
        return volumes.status(name);
    }

    public VolumeStatus checkShip(String name) throws IOException {
        var status = volumes.status(name);
        if (status.shipping().isEmpty()) {
            throw new Refusal(Reason.INVALID, "volume '%s' does not ship its metadata".formatted(name),
                    "volsh volume set %s ship-metadata=on".formatted(name));
        }
        volumes.requireHere(status.spec());
        return status;
    }

    /**
     * The host that took the volume over, according to its store; empty if it is this one or metadata is not shipped.
     */
    public Optional<Fence> attachedElsewhere(String name) throws IOException {
        var spec = volumes.find(name);
        if (!spec.shipsMetadata()) {
            return Optional.empty();
        }
        try (var engine = parts.openMetadata(spec); var store = parts.openShipped(spec)) {
            parts.shipping(spec, engine, store).requireMine();
            return Optional.empty();
        } catch (AttachedElsewhereException elsewhere) {
            return Optional.of(elsewhere.fence());
        }
    }

    private Attachment attachment() {
        return new Attachment(catalog, parts, assembly, stores, clock);
    }
}
