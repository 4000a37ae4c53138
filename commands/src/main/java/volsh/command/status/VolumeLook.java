package volsh.command.status;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import volsh.catalog.GcMode;
import volsh.catalog.VolumeSpec;
import volsh.command.Session;
import volsh.command.failure.Diagnosis;
import volsh.command.failure.ExitCode;
import volsh.command.failure.Problem;
import volsh.fs.ShellWord;
import volsh.inventory.JournalRow;
import volsh.meta.Quotas;
import volsh.mount.AtRisk;
import volsh.mount.Mounts;
import volsh.quota.QuotaRule;
import volsh.quota.QuotaSubject;
import volsh.ship.Fence;
import volsh.unit.ByteSize;
import volsh.unit.Count;
import volsh.volume.JournalControl;
import volsh.volume.VolumeStatus;
import volsh.volume.Volumes;

/** Volumes: their size, and for a volume that is not mounted the data that waits to be stored. */
final class VolumeLook implements Look {
    @Override
    public List<Question> questions(Session session, Terms terms) throws Exception {
        var volumes = session.service(Volumes.class);
        var now = session.clock().instant();
        var questions = new ArrayList<Question>();
        for (var name : volumes.names()) {
            questions.add(new Question("volume", name, "volsh volume show " + name, true,
                    sends -> row(volumes, volumes.status(name), now, terms)));
        }
        return questions;
    }

    private static StatusRow row(Volumes volumes, VolumeStatus status, Instant now, Terms terms) throws IOException {
        var spec = status.spec();
        var stores = spec.stores().size() == 1 ? "store '%s'".formatted(spec.store())
                : "stores " + String.join(",", spec.stores());
        var about = status.contents().orElse("size unknown (its token hides it)") + ", " + stores
                + reclaimable(status)
                + (status.isCollecting() ? ", collecting garbage" : status.gc().mode() == GcMode.MANUAL ? ", gc=manual"
                        : "");
        var elsewhere = elsewhere(volumes, spec.name());
        if (elsewhere.isPresent()) {
            return new StatusRow("volume", spec.name(), Health.FENCED, about + "; " + elsewhere.get(),
                    risk(status, List.of()), "volsh volume show " + spec.name());
        }
        var damage = volumes.upkeep().knownDamage(spec);
        if (damage.isPresent()) {
            var found = damage.get();
            return new StatusRow("volume", spec.name(), Health.DAMAGED,
                    "%s; damage found at %s and not yet repaired: %s".formatted(about, found.time(), found),
                    risk(status, volumes.journals().left(spec.name())), found.next(spec.name()));
        }
        var away = away(volumes, spec);
        if (away.isPresent()) {
            return new StatusRow("volume", spec.name(), Health.UNAVAILABLE, about + "; " + away.get(),
                    risk(status, volumes.journals().left(spec.name())), "volsh store probe " + spec.store());
        }
        var locked = locked(volumes, spec);
        if (locked.isPresent()) {
            return new StatusRow("volume", spec.name(), Health.LOCKED, about + "; " + locked.get().message(),
                    risk(status, volumes.journals().left(spec.name())),
                    locked.get().hints().isEmpty() ? "volsh key list " + spec.name() : locked.get().hints().getLast());
        }
        var mount = terms.mounts().stream().filter(each -> each.record().source().volume().equals(spec.name()))
                .map(Mounts.Status::state)
                .filter(state -> state != Mounts.State.SILENT && state != Mounts.State.DEAD)
                .min(Comparator.naturalOrder());
        if (mount.isPresent()) {   // the mount's row shows the rest
            return limited(status, StatusRow.of("volume", spec.name(), Health.OK, about + (
                    mount.get() != Mounts.State.DETACHED ? ", mounted" : ", unmounted, still writing out data"), ""));
        }
        var journals = volumes.journals().left(spec.name());
        var risk = risk(status, journals);
        var elsewhereJournal = journals.stream().filter(journal -> !JournalControl.isHere(journal)
                && (journal.bytes() > 0 || isAbandoned(journal, status, now))).findFirst();
        if (risk.bytes() > 0 || elsewhereJournal.isPresent()) {
            return new StatusRow("volume", spec.name(), Health.AT_RISK, about + elsewhereJournal.map(journal ->
                            ("; unstored blocks may be in the journal %s:%s on another machine: "
                                    + "run 'volsh cache flush' there").formatted(journal.host(), journal.directory()))
                    .orElse("; unstored blocks are in the journal of a mount that ended"), risk,
                    elsewhereJournal.isPresent()
                            ? "volsh volume check %s --repair --lost-journals --dry-run".formatted(spec.name())
                            : "volsh cache flush " + spec.name());
        }
        boolean late = risk.age(now).compareTo(terms.rpo()) > 0;
        var row = new StatusRow("volume", spec.name(), late ? Health.AT_RISK : Health.OK, about
                + (late ? "; some metadata is not shipped" : ""), risk, late ? "volsh volume ship " + spec.name() : "");
        return late ? row : limited(status, row);
    }

    /** The row of a volume that is well, unless one of its quotas is nearly used up. */
    private static StatusRow limited(VolumeStatus status, StatusRow row) {
        if (status.fullest().isEmpty()) {
            return row;
        }
        var fullest = status.fullest().get();
        var rule = fullest.status().rule();
        var subject = new QuotaSubject(row.name(), rule.account(), fullest.path());
        boolean owner = rule.account().isOwner();
        return new StatusRow(row.kind(), row.name(),
                fullest.status().part() >= VolumeStatus.FULL ? Health.FULL : Health.NEARLY_FULL,
                "%s; quota of %s: %s%s".formatted(row.about(), subject, used(fullest.status()),
                        fullest.others() == 0 ? "" : ", and %d more nearly used up".formatted(fullest.others())),
                row.risk(), owner ? "volsh quota show " + subject.words()
                        : "volsh du " + ShellWord.of(row.name() + ":"
                                + (fullest.path().isEmpty() ? "/" : fullest.path())));
    }

    /** {@code 198MiB of 200MiB used (99%)}. */
    private static String used(Quotas.Status quota) {
        boolean bytes = quota.rule().bytes() != QuotaRule.NONE
                && quota.part() <= (double) quota.used().bytes() / quota.rule().bytes();
        return (bytes ? "%s of %s used (%d%%)".formatted(new ByteSize(Math.max(0, quota.used().bytes())),
                new ByteSize(quota.rule().bytes()), (long) (100 * quota.part()))
                : "%d of %d inodes used (%d%%)".formatted(quota.used().inodes(), quota.rule().inodes(),
                        (long) (100 * quota.part())));
    }

    private static String reclaimable(VolumeStatus status) {
        var waiting = status.reclaimable();
        return waiting.blocks() == 0 ? "" : ", %s%s deleted in %s, waiting to be reclaimed since %s"
                .formatted(waiting.more() ? "more than " : "", new ByteSize(waiting.bytes()),
                        Count.of(waiting.blocks(), "block"), waiting.since().map(Object::toString).orElse("?"));
    }

    /** Why the only store of a volume is unusable: its directory is gone. The row of the store reports a timeout. */
    private static Optional<String> away(Volumes volumes, VolumeSpec spec) {
        try {
            if (spec.stores().size() == 1) {
                volumes.stores().requireDirectories(spec);
            }
            return Optional.empty();
        } catch (IOException gone) {
            var why = Diagnosis.of(gone);   // the row of the store reports a damaged record
            return why.exit() == ExitCode.UNAVAILABLE ? Optional.of(why.message()) : Optional.empty();
        }
    }

    /** Why this machine cannot open an encrypted volume. */
    private static Optional<Problem> locked(Volumes volumes, VolumeSpec spec) {
        try {
            volumes.settings().keys().requireAtHand(spec);
            return Optional.empty();
        } catch (IOException missing) {
            return Optional.of(Diagnosis.of(missing));
        }
    }

    /** Empty if the store is unreachable, which its own row reports. */
    private static Optional<Fence> elsewhere(Volumes volumes, String name) {
        try {
            return volumes.attaching().attachedElsewhere(name);
        } catch (IOException away) {
            return Optional.empty();
        }
    }

    /** Whether no session of its host has the volume open, so that none counts or stores what is in the journal. */
    private static boolean isAbandoned(JournalRow journal, VolumeStatus status, Instant now) {
        return status.sessions().stream()
                .noneMatch(session -> session.host().equals(journal.host()) && session.lease().isAfter(now));
    }

    private static AtRisk risk(VolumeStatus status, List<JournalRow> journals) {
        var waiting = journals.stream().filter(journal -> journal.bytes() > 0).toList();
        long bytes = waiting.stream().mapToLong(journal -> journal.bytes()).sum();
        long commits = status.shipping().map(shipping -> shipping.unshipped()).orElse(0L);
        Optional<Instant> oldest = Stream.concat(waiting.stream().map(journal -> journal.oldest()),
                status.shipping().flatMap(shipping -> shipping.oldest()).stream()).min(Instant::compareTo);
        return new AtRisk(bytes, commits, oldest);
    }
}
