package volsh.command.status;

import java.time.Instant;
import volsh.command.render.Columns;
import volsh.mount.AtRisk;
import volsh.unit.ByteSize;

/** One thing of this machine: how it is, what there is to say about it, what would be lost with this host, and what to do now. */
record StatusRow(String kind, String name, Health health, String about, AtRisk risk, String next) {
    static final Columns<StatusRow> COLUMNS = Columns.of(StatusRow.class)
            .text("kind", StatusRow::kind)
            .text("name", StatusRow::name)
            .text("health", row -> row.health.toString())
            .text("about", StatusRow::about)
            .bytes("atRisk", row -> row.risk.isKnown() ? new ByteSize(row.risk.bytes()) : null)
            .number("commits", row -> row.risk.commits())
            .time("since", StatusRow::since)
            .text("next", StatusRow::next);

    /** One with which no data would be lost. */
    static StatusRow of(String kind, String name, Health health, String about, String next) {
        return new StatusRow(kind, name, health, about, AtRisk.NOTHING, next);
    }

    StatusRow withAbout(String words) {
        return new StatusRow(kind, name, health, words, risk, next);
    }

    private Instant since() {
        return risk.oldest().orElse(null);
    }
}
