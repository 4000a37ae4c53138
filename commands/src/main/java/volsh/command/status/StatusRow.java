package volsh.command.status;

import java.time.Instant;
import org.jspecify.annotations.Nullable;
import volsh.command.render.Columns;
import volsh.mount.AtRisk;
import volsh.unit.ByteSize;

/**
 * One object of this machine: its health, a description, what losing this host would cost, and the command to run next.
 */
record StatusRow(String kind, String name, Health health, String about, AtRisk risk, String next) {
    static final Columns<StatusRow> COLUMNS = Columns.of(StatusRow.class)
            .text("kind", StatusRow::kind)
            .text("name", StatusRow::name)
            .text("health", row -> row.health.toString())
            .command("about", StatusRow::about)   // a sentence: never cut, on a line of its own if need be
            .bytes("atRisk", row -> row.risk.isKnown() ? new ByteSize(row.risk.bytes()) : null)
            .number("commits", row -> row.risk.commits())
            .time("since", StatusRow::since)
            .command("next", StatusRow::next);

    /** A row of an object without data at risk. */
    static StatusRow of(String kind, String name, Health health, String about, String next) {
        return new StatusRow(kind, name, health, about, AtRisk.NOTHING, next);
    }

    StatusRow withAbout(String words) {
        return new StatusRow(kind, name, health, words, risk, next);
    }

    StatusRow withNext(String command) {
        return new StatusRow(kind, name, health, about, risk, command);
    }

    private @Nullable Instant since() {
        return risk.oldest().orElse(null);
    }
}
