package volsh.command.mount;

import java.time.Instant;
import java.util.Locale;
import volsh.command.render.Columns;
import volsh.mount.Mounts;

/** A mount as lists show it. */
record MountRow(String mountPoint, String source, String state, String options, String transport, long pid, Instant started) {
    private static final Columns<MountRow> BRIEF = Columns.of(MountRow.class)
            .text("mountPoint", MountRow::mountPoint)
            .text("source", MountRow::source)
            .text("state", MountRow::state)
            .text("mode", row -> row.options().startsWith("ro,") ? "read-only" : "read-write")
            .text("transport", MountRow::transport)
            .number("pid", MountRow::pid)
            .time("started", MountRow::started);
    static final Columns<MountRow> COLUMNS = BRIEF.text("options", MountRow::options).wide();
    static MountRow of(Mounts.Status status) {
        var record = status.record();
        return new MountRow(
                record.mountPoint().toString(), record.source().toString(), status.state().toString().toLowerCase(Locale.ROOT),
                record.options(), record.transport().toString(), record.pid(), record.started());
    }
}
