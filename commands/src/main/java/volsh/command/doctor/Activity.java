package volsh.command.doctor;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import volsh.command.Session;
import volsh.command.render.Columns;
import volsh.doctor.Bottleneck;
import volsh.doctor.Diagnosis;
import volsh.doctor.Sample;
import volsh.doctor.Subject;
import volsh.mount.AtRisk;
import volsh.mount.Mounts;
import volsh.unit.ByteSize;
import volsh.unit.Percent;

/** The activity of a mount over an interval, as tables show it. */
record Activity(Path mount, Sample sample, Subject subject, AtRisk risk) {
    static final Columns<Activity> COLUMNS = Columns.of(Activity.class)
            .text("mount", Activity::mount)
            .number("ops", Activity::operations)
            .rate("read", Activity::readRate)
            .rate("written", activity -> activity.perSecond(activity.sample.writtenBytes()))
            .span("readTime", activity -> activity.sample.reads() == 0 ? Duration.ZERO
                    : activity.sample.readTime().dividedBy(activity.sample.reads()))
            .number("hits", activity -> new Percent(Math.round(activity.sample.hitRatio() * 1000) / 10.0))
            .rate("fromStore", activity -> activity.perSecond(activity.sample.gotBytes()))
            .span("get", activity -> activity.sample.meanGet())
            .bytes("staged", activity -> new ByteSize(activity.sample.stagedAfter()))
            .bytes("atRisk", activity -> new ByteSize(activity.risk.bytes()))
            .span("rpo", activity -> activity.risk.age(Instant.now()))
            .text("narrowest", Activity::narrowest);

    static List<Activity> of(Session session, Map<Path, Sample> samples) throws Exception {
        var mounts = session.service(Mounts.class);
        var activities = new ArrayList<Activity>();
        for (var each : samples.entrySet()) {
            var found = mounts.find(each.getKey());
            if (found.isPresent()) {   // else it ended in the meantime
                activities.add(new Activity(each.getKey(), each.getValue(), FileSpread.byLayout(session, found.get().record()),
                        AtRisk.of(mounts.stats(each.getKey()))));
            }
        }
        return activities;
    }

    long operations() {
        return perSecond(sample.metadata() + sample.reads() + sample.writes());
    }

    long readRate() {
        return perSecond(sample.readBytes());
    }

    List<Bottleneck> findings() {
        return Diagnosis.of(sample, subject);
    }

    long perSecond(long count) {
        return Math.round(count / (sample.time().toNanos() / 1e9));
    }

    /** The stage that the job waits for most. */
    private String narrowest() {
        var findings = findings();
        return findings.isEmpty() ? "none" : findings.getFirst().culprit().words();
    }
}
