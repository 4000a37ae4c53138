package volsh.volume;

import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import volsh.assembly.Assembly;
import volsh.assembly.Stores;
import volsh.assembly.VolumeParts;
import volsh.care.Garbage;
import volsh.care.GarbageCollection;
import volsh.catalog.Access;
import volsh.catalog.Catalog;
import volsh.catalog.ClockJump;
import volsh.catalog.Refusal;
import volsh.catalog.Refusal.Reason;
import volsh.catalog.VolumeDraft;
import volsh.catalog.VolumeSpec;
import volsh.engine.postgres.PostgresUrl;
import volsh.history.Purge;
import volsh.inventory.Superblock;
import volsh.lifecycle.VolumeConstruction;
import volsh.maintain.DumpAndLoad;
import volsh.maintain.MetadataMove;
import volsh.maintain.StoredContents;
import volsh.maintain.VolumeInspection;
import volsh.ship.RecordingEngine;
import volsh.upkeep.Watcher;
import volsh.upkeep.check.CheckReport;
import volsh.upkeep.check.Damage;
import volsh.upkeep.check.Finding;
import volsh.upkeep.dump.Dump;
import volsh.upkeep.dump.DumpLoader;

/** Maintains volumes: checks and repairs them, collects their garbage, dumps their metadata and loads it again. */
public final class VolumeUpkeep {
    private final VolumeRegistry volumes;
    private final VolumeOpener opener;
    private final Catalog catalog;
    private final Stores stores;
    private final VolumeParts parts;
    private final Assembly assembly;
    private final VolumeConstruction construction;
    private final InstantSource clock;

    /** What volumes are found in and made of. */
    record Means(Catalog catalog, Stores stores, VolumeParts parts, Assembly assembly,
            VolumeConstruction construction) {}

    VolumeUpkeep(VolumeRegistry volumes, VolumeOpener opener, Means means, InstantSource clock) {
        this.volumes = volumes;
        this.opener = opener;
        this.catalog = means.catalog();
        this.stores = means.stores();
        this.parts = means.parts();
        this.assembly = means.assembly();
        this.construction = means.construction();
        this.clock = clock;
    }

    /** Compares every row and object of a volume with all others. It may be in use; {@code deep} reads every block. */
    public CheckReport check(String name, boolean deep, Optional<String> path, Watcher watcher) throws IOException {
        var spec = volumes.find(name);
        var report = new VolumeInspection(parts, assembly.disk(), clock).check(spec, deep, path, watcher);
        known(spec).checked(report, deep, path.isEmpty(), clock.instant());
        return report;
    }

    /** The damage that checks and scrubs of this host found, and no later one found gone. */
    public Optional<KnownDamage.Found> knownDamage(VolumeSpec spec) {
        return known(spec).find();
    }

    /** Remembers what a scrub of several stores left. */
    public void scrubbed(String name, BlockCare.Report report, boolean deep) throws IOException {
        known(volumes.find(name)).scrubbed(report, deep, clock.instant());
    }

    private KnownDamage known(VolumeSpec spec) {
        return new KnownDamage(assembly.disk(), parts.directory(spec));
    }

    /**
     * Whether the volume cannot be opened, because the log of its metadata is damaged: {@link #repair} keeps what is
     * before the damage.
     */
    public boolean hasDamagedLog(String name) throws IOException {
        return parts.hasDamagedLog(volumes.find(name));
    }

    /**
     * Checks, and repairs what can be repaired; {@code forsaken} journals are those that are not on this machine, and
     * never will be again.
     * @throws Refusal BUSY while another session has it open
     */
    public CheckReport repair(String name, boolean deep, boolean forsaken, Watcher watcher) throws IOException {
        var spec = volumes.find(name);
        var inspection = new VolumeInspection(parts, assembly.disk(), clock);
        var log = parts.setLogAside(spec);
        var unrepairable = inspection.unrepairable(spec);
        if (unrepairable.isEmpty()) {
            volumes.requireHere(spec);
        }
        var report = unrepairable.isPresent() ? unrepairable.get() : inspection.repair(spec, deep, forsaken, watcher);
        known(spec).checked(report, deep, true, clock.instant());
        return log.isEmpty() ? report
                : report.after(new Finding(Damage.LOG_DAMAGED, "log of the metadata", "as it was: " + log.get(), null,
                        0, List.of()));
    }

    /** Writes the volume's metadata down as lines of JSON, as of one moment. It may be in use. */
    public Dump.Summary dump(String name, OutputStream out, Watcher watcher) throws IOException {
        return transcript().dump(volumes.latest(name), out, watcher);
    }

    /** What {@link #load} would make. */
    public VolumeSpec checkLoad(DumpLoader.Source source, VolumeDraft draft) throws IOException {
        volumes.requireFree(draft.name());
        var origin = DumpAndLoad.origin(source.header());
        var placed = DumpAndLoad.placed(draft, stores, origin, source.header());
        stores.require(placed.spread());
        return transcript().design(origin, placed, stores.find(placed.store().orElseThrow()));
    }

    /**
     * Makes a volume from a dump, and copies the blocks it names from where they are. Of a dump that is cut off,
     * changed or wrong nothing is made.
     *
     * @throws volsh.upkeep.dump.DumpRefusedException with the line
     */
    public DumpLoader.Summary load(DumpLoader.Source source, VolumeDraft draft, Watcher watcher) throws IOException {
        checkLoad(source, draft);
        var origin = DumpAndLoad.origin(source.header());
        var made = new AtomicReference<DumpLoader.Summary>();
        catalog.exclusively(() -> {
            var spec = checkLoad(source, draft);
            return construction.run(spec, draft.database(), (engine, _) ->
                    made.set(transcript().fill(origin, spec, source, engine, watcher)));
        });
        return made.get();
    }

    /** What {@link #move} needs. */
    public VolumeSpec checkMove(String name, DumpLoader.Source source, Optional<PostgresUrl> target)
            throws IOException {
        var spec = volumes.latest(name);
        new MetadataMove(parts, assembly, clock).check(spec, source, target);
        return spec;
    }

    /**
     * Puts the metadata of a volume into this database, or onto this machine, from a dump of the volume as it is; its
     * blocks stay where they are. The old metadata admits no session any more and is set aside.
     *
     * @throws Refusal CONFLICT if it has changed since, BUSY if a session has it open
     */
    public DumpLoader.Summary move(String name, DumpLoader.Source source, Optional<PostgresUrl> target, Watcher watcher)
            throws IOException {
        checkMove(name, source, target);
        return catalog.exclusively(() -> new MetadataMove(parts, assembly,
                clock).run(checkMove(name, source, target), source, target, watcher));
    }

    private DumpAndLoad transcript() {
        return new DumpAndLoad(parts, assembly, clock);
    }

    /**
     * What {@link #collect} would delete.
     * @throws Refusal CONFLICT if the clock cannot be trusted, unless {@code trustClock}
     */
    public Garbage checkCollect(String name, Duration age, boolean trustClock, Garbage.Watcher watcher)
            throws IOException {
        var spec = volumes.find(name);
        try (var engine = parts.openMetadata(spec); var contents = StoredContents.of(spec, parts, engine,
                StoredContents.Over.NOTHING)) {
            requireClock(spec, engine, trustClock);
            return GarbageCollection.count(engine, contents.store(), contents.parts(), clock, age, watcher);
        }
    }

    /**
     * Deletes what cannot be read any more: history that no kept time shows, what died with it, and objects older than
     * {@code age} that no row names. May be stopped anywhere and run again, while others use the volume.
     *
     * @throws Refusal CONFLICT if the clock cannot be trusted, unless {@code trustClock}
     */
    public Garbage collect(String name, Duration age, boolean trustClock, Garbage.Watcher watcher) throws IOException {
        var spec = volumes.find(name);
        try (var engine = parts.openMetadata(spec)) {
            requireClock(spec, engine, trustClock);
            volumes.endKilled(spec, new Superblock(engine, clock).sessions());
            new Superblock(engine, clock).sessions().fenceExpired();
        }
        try (var volume = opener.open(OpeningRequest.of(name, Access.WRITE, "gc"))) {
            return volume.collect(age, watcher);
        }
    }

    private void requireClock(VolumeSpec spec, RecordingEngine engine, boolean trusted) throws IOException {
        var distrust = trusted ? Optional.<String>empty() : new Purge(engine, clock, 0).distrust(ClockJump.IDLE);
        if (distrust.isPresent()) {
            throw new Refusal(Reason.CONFLICT,
                    "garbage of volume '%s' is not collected: the clock may be wrong".formatted(spec.name()), "date",
                    "if it is right: volsh volume gc %s --trust-clock".formatted(spec.name())).detail(distrust.get());
        }
    }
}
