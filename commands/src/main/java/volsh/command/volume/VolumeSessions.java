package volsh.command.volume;

import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.command.Examples;
import volsh.command.Guard;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.fs.Lock;
import volsh.meta.FileLocks;
import volsh.volume.SessionControl;
import volsh.volume.SessionControl.Open;
import volsh.volume.Volumes;

@Command(name = "sessions", description = {
        "Show the sessions that have a volume open, on all machines, and their locks.",
        "A dead session belongs to a process that was killed on this machine; it ends as soon as its locks are needed."
                + " A silent session has an expired lease: its process is dead, or its machine is cut off. Other"
                + " sessions end it within a minute, --fence ends it at once. An ended session cannot change the"
                + " volume, and its locks are free."})
@Examples({"volsh volume sessions training-data", "volsh volume sessions training-data -o wide",
        "volsh volume sessions training-data -o json"})
final class VolumeSessions implements Mutation<Rows<VolumeSessions.Row>> {
    private static final int LOCKS_SHOWN = 100;

    @Parameters(paramLabel = "VOLUME", description = "Volume to show.")
    private String name;

    @Option(names = "--fence", paramLabel = "ID", description = "End the session with this number.")
    private @Nullable Long fence;

    @Option(names = "--force",
            description = "With --fence: also end a session whose lease has not expired. Its unwritten data is lost.")
    private boolean force;

    /** A session as shown. */
    record Row(long id, String kind, String purpose, String host, long pid, String state, Instant since, Instant lease,
            @Nullable Instant lowWater, long locks, List<String> locked) {
        static Row of(Open open) {
            var session = open.session();
            String kind = session.purpose().split(" ", 2)[0];
            var lowWater = session.lowWater() == Long.MAX_VALUE ? null : Instant.ofEpochSecond(session.lowWater());
            return new Row(session.id(), kind, session.purpose(), session.host(), session.pid(),
                    open.state().toString().toLowerCase(Locale.ROOT), session.started(), session.lease(), lowWater,
                    open.locks().size(), open.locks().stream().limit(LOCKS_SHOWN).map(Row::text).toList());
        }

        private static String text(FileLocks.Listed listed) {
            var lock = listed.lock();
            var bytes = lock.kind() == Lock.Kind.WHOLE ? "flock"
                    : "fcntl %d-%s".formatted(lock.start(), lock.last() == Lock.END ? "" : lock.last());
            return "inode %d: %s %s by process %d".formatted(listed.ino(), bytes, lock.exclusive() ? "alone" : "shared",
                    lock.process());
        }
    }

    private static final Columns<Row> COLUMNS = Columns.of(Row.class)
            .number("id", Row::id)
            .text("kind", Row::kind)
            .text("purpose", Row::purpose)
            .text("host", Row::host)
            .number("pid", Row::pid)
            .text("state", Row::state)
            .time("since", Row::since)
            .time("lease", Row::lease)
            .number("locks", Row::locks)
            .time("lowWater", Row::lowWater).wide()
            .text("locked", Row::locked).wide();

    @Override
    public Columns<?> columns() {
        return COLUMNS;
    }

    @Override
    public Plan plan(Session session) throws Exception {
        if (fence == null) {
            return Plan.NOTHING;
        }
        try (var control = control(session)) {
            var open = control.checkFence(fence, force);
            return Plan.of("end", "session %d of %s".formatted(fence, VolumeViews.quoted(name)), description(open));
        }
    }

    private static String description(Open open) {
        var found = open.session();
        return "%s, process %d on %s, %d locks".formatted(found.purpose(), found.pid(), found.host(),
                open.locks().size());
    }

    @Override
    public Guard guard(Session session) throws Exception {
        if (fence == null) {
            return Guard.NONE;
        }
        try (var control = control(session)) {
            return new Guard.Ask("end session %d (%s)?".formatted(fence,
                    description(control.checkFence(fence, force))));
        }
    }

    @Override
    public Rows<Row> run(Session session) throws Exception {
        try (var control = control(session)) {
            if (fence == null) {
                return Rows.of(COLUMNS, control.list().stream().map(Row::of).toList());
            }
            var ended = control.fence(fence, force);
            session.say("ended session %d (%s)".formatted(fence, description(ended)));
            return Rows.one(COLUMNS, Row.of(ended));
        }
    }

    private SessionControl control(Session session) throws Exception {
        if (force && fence == null) {
            throw CommandFailure.usage("--force needs --fence").hint("volsh volume sessions --help");
        }
        return session.service(Volumes.class).sessionControl(name);
    }
}
