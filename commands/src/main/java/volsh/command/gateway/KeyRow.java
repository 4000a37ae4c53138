package volsh.command.gateway;

import java.time.Instant;
import volsh.command.render.Columns;
import volsh.gateway.AccessKey;

/** An access key as it is shown; never with its secret. */
record KeyRow(AccessKey key, Instant now) {
    static final Columns<KeyRow> COLUMNS = Columns.of(KeyRow.class)
            .text("key", row -> row.key().id())
            .text("volumes", row -> row.key().volumes().isEmpty() ? "all" : String.join(",", row.key().volumes()))
            .text("prefix", row -> row.key().prefix())
            .text("access", row -> row.key().readOnly() ? "read" : "write")
            .text("state", row -> row.key().isExpired(row.now()) ? "expired" : "good")
            .time("expires", row -> row.key().expires().orElse(null))
            .time("created", row -> row.key().created()).wide();
}
