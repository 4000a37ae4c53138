package volsh.command.status;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import volsh.command.Session;
import volsh.fs.ShellWord;
import volsh.mount.AtRisk;
import volsh.mount.DeadMount;
import volsh.mount.MountRecord;
import volsh.mount.MountStats;
import volsh.mount.MountTrouble;
import volsh.mount.Mounts;

/** Mounts: whether they answer, and what losing this host now would cost. */
final class MountLook implements Look {
    @Override
    public List<Question> questions(Session session, Terms terms) throws Exception {
        var mounts = session.service(Mounts.class);
        var now = session.clock().instant();
        var questions = new ArrayList<Question>();
        for (var status : terms.mounts()) {
            questions.add(new Question("mount", name(status.record()), "volsh mounts show " + status.record().words(),
                    () -> row(mounts, status, now, terms)));
        }
        for (var record : mounts.damagedRecords()) {
            questions.add(new Question("mount", record.toString(), "volsh mounts list", () ->
                    StatusRow.of("mount", record.toString(), Health.DAMAGED,
                            "the record of a mount is damaged; its volume and mount point are unknown",
                            "volsh mounts list")));
        }
        return questions;
    }

    private static StatusRow row(Mounts mounts, Mounts.Status status, Instant now, Terms terms) throws Exception {
        var record = status.record();
        var place = name(record);
        var source = record.source().toString();
        return switch (status.state()) {
            case OK, DETACHED -> row(record, source, status.troubles(), mounts.stats(record), now, terms);
            case OTHER_VERSION -> new StatusRow("mount", place, Health.FAILING,
                    source + ", its process runs another version of volsh: restart the mount; at risk: unknown",
                    AtRisk.UNKNOWN, "volsh umount " + record.words());
            case SILENT -> new StatusRow("mount", place, Health.UNAVAILABLE,
                    source + ", its process does not answer; at risk: unknown", AtRisk.UNKNOWN,
                    "volsh mounts show " + record.words());
            case DEAD -> dead(place, source, mounts.dead(record));
        };
    }

    /** The mount point, with the process of a detached mount: another mount may have the same directory. */
    private static String name(MountRecord record) {
        return record.mountPoint() + (record.detached() ? " (process %d)".formatted(record.pid()) : "");
    }

    private static StatusRow dead(String place, String source, DeadMount dead) {
        return new StatusRow("mount", place, Health.UNAVAILABLE, source + ", " + dead.sentence(), dead.risk(),
                dead.next());
    }

    private static StatusRow row(MountRecord record, String source, List<MountTrouble> troubles, MountStats stats,
            Instant now, Terms terms) {
        var place = name(record);
        var risk = AtRisk.of(stats);
        var about = source + "; at risk: " + risk.line(now);
        if (!troubles.isEmpty()) {
            var worst = MountTrouble.worst(troubles);
            return new StatusRow("mount", place, Health.of(worst.kind()), "%s; since %s %s".formatted(about,
                    worst.since(), troubles.stream().map(MountTrouble::sentence).collect(Collectors.joining("; "))),
                    risk, worst.command());
        }
        if (!stats.staged().damaged().isEmpty()) {
            return new StatusRow("mount", place, Health.DAMAGED, about + "; damaged journal "
                    + stats.staged().damaged().getFirst(), risk, "volsh mounts show " + record.words());
        }
        if (stats.staged().trouble().isPresent()) {
            return new StatusRow("mount", place, Health.AT_RISK, about + "; " + stats.staged().trouble().get().words(),
                    risk, "volsh mounts show " + record.words());
        }
        if (!stats.background().failing().isEmpty()) {
            var failing = stats.background().failing().getFirst();
            return new StatusRow("mount", place, Health.FAILING, "%s; %s has failed %d times since %s: %s".formatted(
                    about, failing.task(), failing.times(), failing.since(), failing.reason()), risk, failing.next());
        }
        boolean late = risk.age(now).compareTo(terms.rpo()) > 0;
        var bypassed = stats.directories().stream().filter(usage -> !usage.up())
                .map(usage -> "; bypassed cache directory: " + usage.directory()).toList();
        return new StatusRow("mount", place, late ? Health.AT_RISK : Health.OK, about + String.join("", bypassed), risk,
                late ? "volsh cache flush " + ShellWord.of(record.mountPoint()) : "");
    }
}
