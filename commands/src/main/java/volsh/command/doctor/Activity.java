package volsh.command.doctor;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import volsh.command.Session;
import volsh.command.render.Columns;
import volsh.doctor.ActivitySample;
import volsh.doctor.Bottleneck;
import volsh.doctor.Bottleneck.Culprit;
import volsh.doctor.Diagnosis;
import volsh.doctor.Subject;
import volsh.mount.AtRisk;
import volsh.mount.Mounts;
import volsh.unit.ByteSize;
import volsh.unit.Percent;

/** The activity of a mount over an interval, as tables show it. */
record Activity(Path mount, ActivitySample sample, Subject subject, AtRisk risk) {
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
            .text("narrowest", Activity::narrowest)
            .text("stage", activity -> activity.stage().map(Stage::toString).orElse("none")).wide()
            .number("underWay", activity -> Math.round(activity.sample.underWay() * 10) / 10.0).wide()
            .text("evidence", activity -> activity.finding(Bottleneck::evidence)).wide()
            .text("fix", activity -> activity.finding(Bottleneck::fix)).wide()
            .text("source", activity -> activity.subject.volume()).wide();

    /** The stages of the data path that one of them may hold up, from the store to the job. */
    enum Stage {
        STORE,
        CACHE,
        MOUNT,
        JOB;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** The stage where a culprit works; empty if it is the machine as a whole, or nothing is asked for. */
        static Optional<Stage> of(Culprit culprit) {
            return switch (culprit) {
                case SLOW_STORE, ONE_STRIPE, BACKLOG -> Optional.of(STORE);
                case COLD_CACHE, SMALL_CACHE -> Optional.of(CACHE);
                case TINY_FILES, TINY_READS, SLOW_METADATA -> Optional.of(MOUNT);
                case FEW_WORKERS -> Optional.of(JOB);
                case BUSY_DISK, BUSY_CPU, SHORT_MEMORY, IDLE -> Optional.empty();
            };
        }
    }

    static List<Activity> of(Session session, Map<Path, ActivitySample> samples) throws Exception {
        var mounts = session.service(Mounts.class);
        var activities = new ArrayList<Activity>();
        for (var each : samples.entrySet()) {
            var found = mounts.find(each.getKey());
            if (found.isPresent()) {   // else it ended in the meantime
                activities.add(new Activity(each.getKey(), each.getValue(),
                        FileSpread.byLayout(session, found.get().record()), AtRisk.of(mounts.stats(each.getKey()))));
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

    /** The stage that the job waits for most; empty if none is. */
    Optional<Stage> stage() {
        return findings().stream().findFirst().flatMap(found -> Stage.of(found.culprit()));
    }

    private String narrowest() {
        return findings().stream().findFirst().map(found -> found.culprit().words()).orElse("none");
    }

    private String finding(Function<Bottleneck, String> part) {
        return findings().stream().findFirst().map(part).orElse("");
    }
}
