package volsh.command.mount;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import volsh.command.render.Columns;
import volsh.fuse.MountTable;
import volsh.mount.DeadMount;
import volsh.mount.MountTrouble;
import volsh.mount.Mounts;

/** A mount as lists show it. */
record MountRow(String mountPoint, String source, String state, String options, String transport, long pid,
        Instant started, List<MountTrouble> troubles, Optional<DeadMount> dead) {
    private static final Columns<MountRow> BRIEF = Columns.of(MountRow.class)
            .text("mountPoint", MountRow::mountPoint)
            .text("source", MountRow::source)
            .text("state", MountRow::state)
            .text("mode", MountRow::mode)
            .text("transport", MountRow::transport)
            .number("pid", MountRow::pid)
            .time("started", MountRow::started);
    static final Columns<MountRow> COLUMNS = BRIEF.text("options", MountRow::options).wide()
            .text("trouble", MountRow::trouble).wide();

    /**
     * As the kernel reports it, because the mount may have been remounted; also read-only if another host attached the
     * volume.
     */
    String mode() {
        boolean readOnly = options.startsWith("ro,")
                || troubles.stream().anyMatch(trouble -> trouble.kind() == MountTrouble.Kind.ELSEWHERE);
        try {
            readOnly |= MountTable.at(Path.of(mountPoint)).map(MountTable.Line::readOnly).orElse(false);
        } catch (IOException unknown) {
            // as it was mounted
        }
        return readOnly ? "read-only" : "read-write";
    }

    static MountRow of(Mounts.Status status, Mounts mounts) {
        var record = status.record();
        var dead = status.state() == Mounts.State.DEAD ? Optional.of(mounts.dead(record)) : Optional.<DeadMount>empty();
        return new MountRow(
                record.mountPoint().toString(), record.source().toString(), state(status),
                record.options(), record.transport().toString(), record.pid(), record.started(), status.troubles(),
                dead);
    }

    /** One word: whether the mount answers, or its worst problem. */
    private static String state(Mounts.Status status) {
        return status.state() == Mounts.State.OK && !status.troubles().isEmpty()
                ? MountTrouble.worst(status.troubles()).kind().toString()
                : status.state().toString().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    /** All problems, the worst first. */
    String trouble() {
        return dead.isPresent() ? dead.get().sentence() : troubles.stream().map(each -> "%s since %s: %s"
                .formatted(each.kind(), each.since(), each.sentence())).collect(Collectors.joining("; "));
    }
}
