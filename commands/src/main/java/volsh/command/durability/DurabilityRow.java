package volsh.command.durability;

import java.time.Instant;
import org.jspecify.annotations.Nullable;
import volsh.command.render.Columns;
import volsh.volume.Durability;

/** A file and its durability. */
record DurabilityRow(String path, Durability found) {
    static final Columns<DurabilityRow> COLUMNS = Columns.of(DurabilityRow.class)
            .text("path", DurabilityRow::path)
            .text("state", row -> row.found.state().toString())
            .time("since", DurabilityRow::since)
            .text("dependsOn", row -> row.found.where());

    private @Nullable Instant since() {
        return found.since().orElse(null);
    }
}
