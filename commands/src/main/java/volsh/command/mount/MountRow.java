package volsh.command.mount;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Locale;
import volsh.command.render.Columns;
import volsh.fuse.MountTable;
import volsh.mount.Mounts;

/** A mount as lists show it. */
record MountRow(String mountPoint, String source, String state, String options, String transport, long pid, Instant started) {
    private static final Columns<MountRow> BRIEF = Columns.of(MountRow.class)
            .text("mountPoint", MountRow::mountPoint)
            .text("source", MountRow::source)
            .text("state", MountRow::state)
            .text("mode", MountRow::mode)
            .text("transport", MountRow::transport)
            .number("pid", MountRow::pid)
            .time("started", MountRow::started);
    static final Columns<MountRow> COLUMNS = BRIEF.text("options", MountRow::options).wide();

    /** What the kernel says counts: somebody may have remounted it. */
    String mode() {
        boolean readOnly = options.startsWith("ro,");
        try {
            readOnly |= MountTable.at(Path.of(mountPoint)).map(MountTable.Line::readOnly).orElse(false);
        } catch (IOException unknown) {
            // as it was mounted
        }
        return readOnly ? "read-only" : "read-write";
    }

    static MountRow of(Mounts.Status status) {
        var record = status.record();
        return new MountRow(
                record.mountPoint().toString(), record.source().toString(), status.state().toString().toLowerCase(Locale.ROOT),
                record.options(), record.transport().toString(), record.pid(), record.started());
    }
}
