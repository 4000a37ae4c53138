package volsh.command.doctor;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import volsh.command.render.Columns;
import volsh.doctor.Diagnosis;
import volsh.doctor.Sample;
import volsh.unit.ByteSize;
import volsh.unit.Percent;

/** What a mount did in a time, as tables show it. */
record Activity(Path mount, Sample sample) {
    static final Columns<Activity> COLUMNS = Columns.of(Activity.class)
            .text("mount", Activity::mount)
            .number("ops", activity -> activity.perSecond(activity.sample.metadata() + activity.sample.reads() + activity.sample.writes()))
            .rate("read", activity -> activity.perSecond(activity.sample.readBytes()))
            .rate("written", activity -> activity.perSecond(activity.sample.writtenBytes()))
            .span("readTime", activity -> activity.sample.reads() == 0 ? Duration.ZERO : activity.sample.readTime().dividedBy(activity.sample.reads()))
            .number("hits", activity -> new Percent(Math.round(activity.sample.hitRatio() * 1000) / 10.0))
            .rate("fromStore", activity -> activity.perSecond(activity.sample.gotBytes()))
            .span("get", activity -> activity.sample.meanGet())
            .bytes("staged", activity -> new ByteSize(activity.sample.stagedAfter()))
            .text("narrowest", Activity::narrowest);

    static List<Activity> of(Map<Path, Sample> samples) {
        return samples.entrySet().stream().map(each -> new Activity(each.getKey(), each.getValue())).toList();
    }

    private long perSecond(long count) {
        return Math.round(count / (sample.time().toNanos() / 1e9));
    }

    /** The stage that the job waits for most. */
    private String narrowest() {
        var findings = Diagnosis.of(sample, mount.toString(), 1, 1);
        return findings.isEmpty() ? "none" : findings.getFirst().culprit().words();
    }
}
