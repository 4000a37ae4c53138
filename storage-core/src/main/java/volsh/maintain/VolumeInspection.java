package volsh.maintain;

import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import volsh.assembly.VolumeParts;
import volsh.care.SessionLease;
import volsh.catalog.Host;
import volsh.catalog.Records;
import volsh.catalog.Refusal;
import volsh.catalog.Refusal.Reason;
import volsh.catalog.VolumeSpec;
import volsh.disk.Disk;
import volsh.engine.MetaDamagedException;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.Name;
import volsh.inventory.Journals;
import volsh.inventory.Packs;
import volsh.inventory.Superblock;
import volsh.meta.Namespace;
import volsh.meta.Session;
import volsh.meta.Sessions;
import volsh.meta.Ticks;
import volsh.pack.PackedStore;
import volsh.proc.ProcessMark;
import volsh.ship.RecordingEngine;
import volsh.upkeep.Watcher;
import volsh.upkeep.check.Check;
import volsh.upkeep.check.CheckOptions;
import volsh.upkeep.check.CheckReport;
import volsh.upkeep.check.Damage;
import volsh.upkeep.check.Finding;
import volsh.upkeep.repair.Repair;
import volsh.writeback.JournalDirectory;
import volsh.writeback.JournalReads;

/** Checks and repairs a volume: with its rows and objects as they are, not as an open volume would show them. */
public final class VolumeInspection {
    private static final Finding RECORD = new Finding(Damage.RECORD_UNREADABLE, "setting 'volume'",
            "no record of a volume", null, 0, List.of());

    private final VolumeParts parts;
    private final Disk disk;
    private final InstantSource clock;

    public VolumeInspection(VolumeParts parts, Disk disk, InstantSource clock) {
        this.parts = parts;
        this.disk = disk;
        this.clock = clock;
    }

    /**
     * Looks at everything; others may use the volume meanwhile. With a path, only that and what is below it is told.
     */
    public CheckReport check(VolumeSpec spec, boolean deep, Optional<String> path, Watcher watcher) throws IOException {
        return orDatabase(spec, deep, () -> checkRows(spec, deep, path, watcher));
    }

    private interface Look {
        CheckReport run() throws IOException;
    }

    /** A database that does not give its rows back says itself what is wrong with it. */
    private CheckReport orDatabase(VolumeSpec spec, boolean deep, Look look) throws IOException {
        try {
            return look.run();
        } catch (MetaDamagedException unreadable) {
            var problems = parts.inspectDatabase(spec, deep);
            if (problems.isEmpty()) {
                throw unreadable;
            }
            return CheckReport.ofDatabase(problems);
        }
    }

    private CheckReport checkRows(VolumeSpec spec, boolean deep, Optional<String> path, Watcher watcher)
            throws IOException {
        try (var engine = parts.openMetadata(spec); var contents = contents(spec, engine);
                var session = reader(engine)) {
            var options = new CheckOptions(deep, below(spec, engine, path));
            var report = new Check(engine, contents.stored(), spec.id(), parts.directory(spec),
                    session.id()).run(options, watcher);
            return path.isPresent() || hasRecord(engine) ? report : report.with(RECORD);
        }
    }

    /** The row with the volume's own record is text to the check of rows. */
    private boolean hasRecord(RecordingEngine engine) throws IOException {
        try {
            return new Superblock(engine, clock).setting(Records.SPEC, Records::ofSetting).isPresent();
        } catch (MetaDamagedException unreadable) {
            return false;
        }
    }

    /**
     * The same, then repairs what can be. With {@code forsaken}, what waits in journals that are not on this machine is
     * given up: blocks that were nowhere else are missing from then on, and files that need them are told. @throws
     * Refusal BUSY while others have the volume open
     */
    public CheckReport repair(VolumeSpec spec, boolean deep, boolean forsaken, Watcher watcher) throws IOException {
        return orDatabase(spec, deep, () -> repairRows(spec, deep, forsaken, watcher));
    }

    /**
     * What is written to a database whose pages do not fit together may be lost, or lose more: empty if it may be
     * repaired.
     */
    public Optional<CheckReport> unrepairable(VolumeSpec spec) throws IOException {
        var problems = parts.inspectDatabase(spec, false);
        return problems.isEmpty() ? Optional.empty() : Optional.of(CheckReport.ofDatabase(problems));
    }

    private CheckReport repairRows(VolumeSpec spec, boolean deep, boolean forsaken, Watcher watcher)
            throws IOException {
        try (var engine = parts.openMetadata(spec); var contents = contents(spec, engine)) {
            Repair.clearTheWay(engine);
            engine.refresh();
            try (var session = soleWriter(spec, engine)) {
                if (forsaken) {
                    giveUpJournals(new Journals(engine));
                }
                boolean recorded = hasRecord(engine);
                if (!recorded) {
                    new Superblock(engine, clock).set(Records.SPEC, Records.toBytes(spec));
                }
                var options = new CheckOptions(deep, OptionalLong.empty());
                var repair = new Repair(engine, contents.stored(), spec.id(), parts.directory(spec), clock,
                        session.id().getAsLong());
                var report = repair.run(options, watcher);
                return recorded ? report : report.after(RECORD);
            }
        }
    }

    private static void giveUpJournals(Journals journals) throws IOException {
        for (var row : journals.list()) {
            if (!JournalDirectory.isHere(row)) {
                journals.remove(row.id());
            }
        }
    }

    private StoredContents contents(VolumeSpec spec, RecordingEngine engine) throws IOException {
        return StoredContents.of(spec, parts, engine, direct ->
                new JournalReads(new PackedStore(direct, new Packs(engine)), new Journals(engine), disk, clock,
                        Duration.ZERO));
    }

    /** A session while it is needed; none if the metadata is too damaged for one. */
    private record Held(OptionalLong id, @Nullable SessionLease lease) implements AutoCloseable {
        @Override
        public void close() throws IOException {
            if (lease != null) {
                lease.close();
            }
        }
    }

    private Held reader(RecordingEngine engine) {
        try {
            return held(engine, open(engine, Sessions.Role.READER));
        } catch (IOException | RuntimeException damaged) {
            return new Held(OptionalLong.empty(), null);
        }
    }

    private Held soleWriter(VolumeSpec spec, RecordingEngine engine) throws IOException {
        try {
            return held(engine, open(engine, Sessions.Role.SOLE_WRITER));
        } catch (FsException refused) {
            if (refused.error() != FsError.BUSY) {
                throw refused;
            }
            if (parts.deadSessions(spec).end(new Superblock(engine, clock).sessions())) {
                return held(engine, open(engine, Sessions.Role.SOLE_WRITER));
            }
            throw new Refusal(Reason.BUSY, "volume '%s' cannot be repaired while it is in use: %s"
                    .formatted(spec.name(), refused.getMessage()), refused, "volsh mounts list",
                    "look without repairing: volsh volume check " + spec.name());
        }
    }

    private Session open(RecordingEngine engine, Sessions.Role role) throws IOException {
        return new Superblock(engine, clock).sessions().open(Host.name(), ProcessHandle.current().pid(),
                engine.isReadOnly() ? "" : ProcessMark.own().text(), "check", role);
    }

    private Held held(RecordingEngine engine, Session session) {
        var lease = new SessionLease(new Superblock(engine, clock).sessions(), new Ticks(engine, clock), session);
        lease.start(tick -> session.lowWater());
        return new Held(OptionalLong.of(session.id()), lease);
    }

    private OptionalLong below(VolumeSpec spec, RecordingEngine engine, Optional<String> path) throws IOException {
        if (path.isEmpty()) {
            return OptionalLong.empty();
        }
        var names = new Namespace(engine, clock, 0);
        long at = Namespace.ROOT;
        for (String part : path.get().split("/")) {
            if (!part.isEmpty()) {
                try {
                    at = names.lookup(at, Name.of(part)).ino();
                } catch (FsException missing) {
                    throw new Refusal(Reason.NOT_FOUND, "%s:%s: %s".formatted(spec.name(), path.get(),
                            missing.getMessage()), missing, "volsh ls %s:/".formatted(spec.name()));
                }
            }
        }
        return OptionalLong.of(at);
    }
}
