package volsh.command.status;

import java.util.List;
import volsh.command.Session;
import volsh.command.failure.ExitCode;
import volsh.unit.Span;

/**
 * The problems that {@code volsh status} finds, for commands that must not report success despite them.
 *
 * @param others problems of everything but mounts, such as {@code volume data: damaged}
 * @param exit   the exit code of {@code status}, mounts included
 */
public record StatusTroubles(List<String> others, ExitCode exit) {
    /** Runs the checks of {@code volsh status}. */
    public static StatusTroubles of(Session session) throws Exception {
        var rows = Status.rows(session, Span.of(Status.RPO).duration(), Span.of(Status.TIMEOUT).duration());
        var others = rows.stream().filter(row -> row.health().isProblem() && !row.kind().equals("mount"))
                .map(row -> "%s %s: %s".formatted(row.kind(), row.name(), row.health())).toList();
        return new StatusTroubles(others, Status.worst(rows).exit());
    }
}
