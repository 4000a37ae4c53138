package volsh.command.status;

import java.util.Comparator;
import java.util.List;
import volsh.mount.AtRisk;
import volsh.unit.ByteSize;
import volsh.unit.Count;

/**
 * The first line of {@code status}: how many problems there are, the worst of them, what would be lost, and what to
 * type next.
 */
final class StatusVerdict {
    /** Which of two equally bad things comes first: the one that is likely to be the cause of the other. */
    private static final List<String> CAUSES = List.of("volume", "mount", "store");

    private StatusVerdict() {}

    static String of(List<StatusRow> rows) {
        var problems = rows.stream().filter(row -> row.health().isProblem()).toList();
        if (problems.isEmpty()) {
            var warned = rows.stream().filter(row -> row.health() != Health.OK).toList();
            return warned.isEmpty() ? "all is well" + lost(rows) : "no problem, " + told(warned, "warning", lost(rows));
        }
        return told(problems, "problem", lost(rows));
    }

    private static String told(List<StatusRow> rows, String noun, String lost) {
        var worst = rows.stream().max(Comparator.comparing(StatusRow::health)
                .thenComparingInt(row -> CAUSES.indexOf(row.kind()))).orElseThrow();
        return "%s: %s %s is %s%s%s%s".formatted(Count.of(rows.size(), noun), worst.kind(), worst.name(),
                worst.health(), rows.size() == 1 ? "" : ", and %d more".formatted(rows.size() - 1), lost,
                worst.next().isEmpty() ? "" : "; next: " + worst.next());
    }

    /** What exists on this machine alone. */
    private static String lost(List<StatusRow> rows) {
        long bytes = rows.stream().map(StatusRow::risk).filter(AtRisk::isKnown).mapToLong(AtRisk::bytes).sum();
        return bytes == 0 ? "" : "; %s of file data is only on this machine".formatted(new ByteSize(bytes));
    }
}
