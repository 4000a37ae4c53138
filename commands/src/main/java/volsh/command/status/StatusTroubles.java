package volsh.command.status;

import java.util.List;
import volsh.command.Session;
import volsh.command.failure.ExitCode;
import volsh.unit.Span;

/**
 * What {@code volsh status} finds to be wrong, for commands that must not say that all is well.
 *
 * @param others what is wrong besides mounts, as {@code volume data: damaged}
 * @param exit   what {@code status} ends with, mounts included
 */
public record StatusTroubles(List<String> others, ExitCode exit) {
    /** Asks all that {@code volsh status} asks. */
    public static StatusTroubles of(Session session) throws Exception {
        var rows = Status.rows(session, Span.of(Status.RPO).duration(), Span.of(Status.TIMEOUT).duration());
        var others = rows.stream().filter(row -> row.health() != Health.OK && !row.kind().equals("mount"))
                .map(row -> "%s %s: %s".formatted(row.kind(), row.name(), row.health())).toList();
        return new StatusTroubles(others, Status.worst(rows).exit());
    }
}
