package volsh.command.mount;

import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import volsh.command.render.Columns;
import volsh.mount.MountTrouble;
import volsh.mount.Mounts;

/** A mount as lists show it. */
record MountRow(String mountPoint, String source, String state, String options, String transport, long pid, Instant started, List<MountTrouble> troubles) {
    private static final Columns<MountRow> BRIEF = Columns.of(MountRow.class)
            .text("mountPoint", MountRow::mountPoint)
            .text("source", MountRow::source)
            .text("state", MountRow::state)
            .text("mode", MountRow::mode)
            .text("transport", MountRow::transport)
            .number("pid", MountRow::pid)
            .time("started", MountRow::started);
    static final Columns<MountRow> COLUMNS = BRIEF.text("options", MountRow::options).wide().text("trouble", MountRow::trouble).wide();

    static MountRow of(Mounts.Status status) {
        var record = status.record();
        return new MountRow(
                record.mountPoint().toString(), record.source().toString(), state(status),
                record.options(), record.transport().toString(), record.pid(), record.started(), status.troubles());
    }

    /** One word: whether it answers, or else what is worst about it. */
    private static String state(Mounts.Status status) {
        return status.state() == Mounts.State.OK && !status.troubles().isEmpty() ? MountTrouble.worst(status.troubles()).kind().toString()
                : status.state().toString().toLowerCase(Locale.ROOT);
    }

    /** Whoever lost the volume to another host can only read it. */
    String mode() {
        return options.startsWith("ro,") || troubles.stream().anyMatch(trouble -> trouble.kind() == MountTrouble.Kind.ELSEWHERE) ? "read-only" : "read-write";
    }

    /** All that is wrong, the worst first. */
    String trouble() {
        return troubles.stream().map(each -> "%s since %s: %s".formatted(each.kind(), each.since(), each.sentence())).collect(Collectors.joining("; "));
    }
}
