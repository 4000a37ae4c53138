package volsh.volume;

import java.io.IOException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import volsh.assembly.VolumeParts;
import volsh.catalog.Catalog;
import volsh.catalog.GcMode;
import volsh.catalog.Records;
import volsh.catalog.Refusal;
import volsh.catalog.Refusal.Reason;
import volsh.catalog.StoreLayoutSize;
import volsh.catalog.VolumeSpec;
import volsh.engine.postgres.PostgresMetaEngine;
import volsh.engine.postgres.PostgresUrl;
import volsh.fs.ShellWord;
import volsh.inventory.GcTurns;
import volsh.inventory.Journals;
import volsh.inventory.PlaceRows;
import volsh.inventory.Strays;
import volsh.inventory.Superblock;
import volsh.inventory.VolumeUsage;
import volsh.meta.Quotas;
import volsh.meta.Sessions;
import volsh.ship.RecordingEngine;
import volsh.ship.Shipping;

/**
 * Finds the volumes of this machine by name, in the catalog and in their metadata, and refuses what may not be done
 * with them here.
 */
final class VolumeRegistry {
    /** What people write before {@code ://}. */
    private static final Set<String> SCHEMES = Set.of("s3", "file", "gs", "http", "https", "az", "hdfs");
    private static final int NAMES_TOLD = 8;

    private final Catalog catalog;
    private final VolumeParts parts;
    private final InstantSource clock;

    VolumeRegistry(Catalog catalog, VolumeParts parts, InstantSource clock) {
        this.catalog = catalog;
        this.parts = parts;
        this.clock = clock;
    }

    /** All volumes, from the catalog alone. @throws Refusal DAMAGED if an entry cannot be read */
    List<VolumeSpec> list() throws IOException {
        return catalog.list(Catalog.VOLUMES, Records::volume);
    }

    /** The volumes whose entries can be read. */
    List<VolumeSpec> readable() throws IOException {
        var found = new ArrayList<VolumeSpec>();
        for (var name : names()) {
            try {
                catalog.find(Catalog.VOLUMES, name, Records::volume).ifPresent(found::add);
            } catch (Refusal refused) {
                if (refused.reason() != Reason.DAMAGED) {
                    throw refused;
                }
            }
        }
        return found;
    }

    /** The names of all volumes, from the names of files alone. */
    List<String> names() throws IOException {
        return catalog.names(Catalog.VOLUMES);
    }

    /** The names of volumes whose destruction began and has not ended. */
    List<String> destroying() throws IOException {
        return catalog.names(Catalog.DESTROYING);
    }

    /** @throws Refusal NOT_FOUND, or CONFLICT if it is being destroyed */
    VolumeSpec find(String name) throws IOException {
        VolumeSpec.requireName("volume", name);
        var found = catalog.find(Catalog.VOLUMES, name, Records::volume);
        if (found.isPresent()) {
            return found.get();
        }
        throw catalog.contains(Catalog.DESTROYING, name) ? leaving(name) : missing(name);
    }

    boolean exists(String name) throws IOException {
        VolumeSpec.requireName("volume", name);
        return catalog.contains(Catalog.VOLUMES, name);
    }

    private Refusal missing(String name) throws IOException {
        if (SCHEMES.contains(name)) {
            String url = name.equals("file") ? "file:///path" : "s3://bucket/prefix";
            return new Refusal(Reason.NOT_FOUND,
                    "no such volume: '%s'; here a path in a volume is needed, not a URL".formatted(name),
                    "volsh help paths", "volsh store add lake " + ShellWord.of(url),
                    "volsh volume create data --store lake")
                    .detail("s3://bucket/key, with two slashes, works in mount and in file commands: ls, cp, put, get");
        }
        if (catalog.contains(Catalog.STORES, name)) {
            return new Refusal(Reason.NOT_FOUND, "no such volume: '%s', which is a store".formatted(name),
                    "volsh ls " + name + "://", "volsh volume create data --store " + name);
        }
        var refusal = new Refusal(Reason.NOT_FOUND, "no such volume: '%s'".formatted(name), "volsh volume list",
                "volsh volume create " + ShellWord.of(name));
        var names = names();
        String others = String.join(", ", names.subList(0, Math.min(NAMES_TOLD, names.size())))
                + (names.size() > NAMES_TOLD ? ", ..." : "");
        return refusal.among(name, names).detail("the catalog in %s has %s"
                .formatted(catalog.directory(), names.isEmpty() ? "no volumes" : others));
    }

    private static Refusal leaving(String name) {
        return new Refusal(Reason.CONFLICT,
                "volume '%s' is being destroyed: it cannot be used any more".formatted(name),
                "finish it: volsh volume destroy " + name);
    }

    /** What the volume holds and which sessions have it open. */
    VolumeStatus status(String name) throws IOException {
        var spec = find(name);
        try (var engine = parts.openMetadata(spec)) {
            var superblock = new Superblock(engine, clock);
            var current = current(spec, engine);
            var usage = StoreLayoutSize.of(superblock.usage(), current, new PlaceRows(engine));
            var gc = new VolumeStatus.Gc(
                    superblock.setting(GcMode.SETTING, GcMode::parse), new GcTurns(engine, clock, 0).state());
            var quotas = new Quotas(engine, clock, 0);
            return new VolumeStatus(current, usage, superblock.sessions().list(), Shipping.status(engine),
                    parts.database(spec).map(PostgresUrl::toString), SnapshotControl.history(engine, clock),
                    new Journals(engine).list(), gc, quotas.ofVolume().map(Quotas.Status::rule),
                    quotas.fullest(VolumeStatus.NEAR), new Strays(engine).waiting(Strays.ENOUGH),
                    files(usage, superblock.directories()), superblock.importedBytes());
        }
    }

    private static OptionalLong files(VolumeUsage usage, OptionalLong directories) {
        return directories.isEmpty() || !usage.isKnown() ? OptionalLong.empty()
                : OptionalLong.of(Math.max(0, usage.inodes() - directories.getAsLong()));
    }

    /** The volume as its metadata describes it now, with the name and the store that it has on this machine. */
    VolumeSpec current(VolumeSpec known, RecordingEngine engine) throws IOException {
        var record = new Superblock(engine, clock).setting(Records.SPEC, Records::ofSetting);
        return record.map(spec -> spec.renamed(known.name()).in(known.store())).orElseThrow(() -> new Refusal(
                Reason.DAMAGED,
                "the metadata of volume '%s' has no volume record".formatted(known.name()),
                "volsh volume check " + known.name()));
    }

    /** The volume as the catalog knows it or, if other machines share it, as its metadata describes it. */
    VolumeSpec latest(String name) throws IOException {
        var known = find(name);
        if (parts.database(known).isEmpty()) {
            return known;
        }
        try (var engine = parts.openMetadata(known)) {
            return current(known, engine);
        }
    }

    void requireFree(String name) throws IOException {
        if (exists(name)) {
            throw new Refusal(Reason.CONFLICT, "volume '%s' exists already".formatted(name),
                    "volsh volume show " + name, "volsh volume ensure " + name);
        }
        if (catalog.contains(Catalog.DESTROYING, name)) {
            throw leaving(name);
        }
    }

    /**
     * A volume that this machine may forget: also one whose destruction began here and cannot be finished, because the
     * database is gone or does not allow it.
     *
     * @throws Refusal NOT_FOUND, or CONFLICT if its destruction can be finished
     */
    VolumeSpec findToForget(String name) throws IOException {
        var spec = leavingOrFound(name);
        if (!catalog.contains(Catalog.VOLUMES, name)) {
            if (parts.database(spec).isEmpty()) {
                throw leaving(name);
            }
            try {
                if (PostgresMetaEngine.isOwner(parts.database(spec).get(), spec.id())) {
                    throw leaving(name);
                }
            } catch (Refusal finishIt) {
                throw finishIt;
            } catch (IOException away) {
                // its destruction cannot be finished either
            }
        }
        return spec;
    }

    /** Also a volume whose destruction has begun. */
    VolumeSpec leavingOrFound(String name) throws IOException {
        VolumeSpec.requireName("volume", name);
        var leaving = catalog.find(Catalog.DESTROYING, name, Records::volume);
        return leaving.isPresent() ? leaving.get() : find(name);
    }

    /** @throws Refusal CONFLICT if another host has the volume now */
    void requireHere(VolumeSpec spec) throws IOException {
        try (var engine = parts.openMetadata(spec)) {
            requireHere(spec, engine);
        }
    }

    /** @throws Refusal FORBIDDEN if the volume is attached by a token that only reads */
    static void requireWritable(VolumeSpec spec, RecordingEngine engine) throws Refusal {
        if (engine.isReadOnly()) {
            throw new Refusal(Reason.FORBIDDEN,
                    "volume '%s' is attached here by a token that only reads".formatted(spec.name()),
                    "read it: volsh ls %s:/".formatted(spec.name()),
                    "mkdir -p ./%1$s && volsh mount %1$s ./%1$s --read-only".formatted(spec.name()));
        }
    }

    static void requireHere(VolumeSpec spec, RecordingEngine engine) throws IOException {
        var fence = Shipping.status(engine).flatMap(Shipping.Status::fence);
        if (fence.isPresent()) {
            throw new Refusal(Reason.CONFLICT, "volume '%s' cannot be written here".formatted(spec.name()),
                    "forget this copy, which leaves the store alone: volsh volume destroy " + spec.name())
                    .detail(fence.get().toString());
        }
    }

    /** Ends the sessions of processes that were killed on this host. */
    boolean endKilled(VolumeSpec spec, Sessions sessions) throws IOException {
        return parts.deadSessions(spec).end(sessions);
    }
}
