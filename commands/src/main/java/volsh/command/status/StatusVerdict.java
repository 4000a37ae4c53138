package volsh.command.status;

import java.util.Comparator;
import java.util.List;
import volsh.mount.AtRisk;
import volsh.unit.ByteSize;

/**
 * The first line of {@code status}: how many problems there are, the worst of them, what would be lost, and what to
 * type next.
 */
final class StatusVerdict {
    /** Which of two equally bad things comes first: the one that is likely to be the cause of the other. */
    private static final List<String> CAUSES = List.of("volume", "mount", "store");

    private StatusVerdict() {}

    static String of(List<StatusRow> rows) {
        var problems = rows.stream().filter(row -> row.health() != Health.OK).toList();
        if (problems.isEmpty()) {
            return "all is well" + lost(rows);
        }
        var worst = problems.stream().max(Comparator.comparing(StatusRow::health)
                .thenComparingInt(row -> CAUSES.indexOf(row.kind()))).orElseThrow();
        return "%d %s: %s %s is %s%s%s%s".formatted(problems.size(), problems.size() == 1 ? "problem" : "problems",
                worst.kind(), worst.name(), worst.health(), problems.size() == 1 ? "" : ", and %d more".formatted(
                problems.size() - 1), lost(rows), worst.next().isEmpty() ? "" : "; next: " + worst.next());
    }

    /** What exists on this machine alone. */
    private static String lost(List<StatusRow> rows) {
        long bytes = rows.stream().map(StatusRow::risk).filter(AtRisk::isKnown).mapToLong(AtRisk::bytes).sum();
        return bytes == 0 ? "" : "; %s of file data is only on this machine".formatted(new ByteSize(bytes));
    }
}
