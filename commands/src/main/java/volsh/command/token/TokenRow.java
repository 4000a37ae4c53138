package volsh.command.token;

import java.time.Instant;
import volsh.command.render.Columns;
import volsh.engine.postgres.Token;

/** A token as it is shown; never with its password. */
record TokenRow(String volume, Token token, Instant now) {
    static final Columns<TokenRow> COLUMNS = Columns.of(TokenRow.class)
            .text("token", row -> row.token().id())
            .text("volume", TokenRow::volume)
            .text("path", row -> row.token().path().orElse("/"))
            .text("access", row -> row.token().readOnly() ? "read" : "write")
            .text("state", TokenRow::state)
            .time("expires", row -> row.token().expires().orElse(null))
            .text("note", row -> row.token().note())
            .time("created", row -> row.token().created()).wide()
            .time("revoked", row -> row.token().revoked().orElse(null)).wide()
            .text("role", row -> row.token().role()).wide();

    private String state() {
        return token.revoked().isPresent() ? "revoked" : token.isGood(now) ? "good" : "expired";
    }
}
