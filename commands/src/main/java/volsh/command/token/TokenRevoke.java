package volsh.command.token;

import java.time.Instant;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import volsh.command.Examples;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.volume.Volumes;

@Command(name = "revoke", description = {"Revoke a token: it stops working, and connections that use it are closed.",
        "This takes back neither data that was read with it, nor credentials of the store that its user may have."})
@Examples({"volsh token revoke shared k3v9qxw2mp --dry-run", "volsh token revoke shared k3v9qxw2mp"})
final class TokenRevoke implements Mutation<Rows<TokenRow>> {
    @Parameters(index = "0", paramLabel = "VOLUME", description = "Volume of the token.")
    private String volume;

    @Parameters(index = "1", paramLabel = "TOKEN", description = "Token, as 'volsh token list' shows it.")
    private String id;

    @Override
    public Columns<?> columns() {
        return TokenRow.COLUMNS;
    }

    @Override
    public Plan plan(Session session) throws Exception {
        var token = session.service(Volumes.class).tokens().find(volume, id);
        return token.revoked().isPresent() ? Plan.NOTHING : Plan.of("revoke", "token " + id, token.note());
    }

    @Override
    public Rows<TokenRow> run(Session session) throws Exception {
        var tokens = session.service(Volumes.class).tokens();
        tokens.revoke(volume, id);
        session.say("revoked token " + id);
        return Rows.one(TokenRow.COLUMNS, new TokenRow(volume, tokens.find(volume, id), Instant.now())).told();
    }
}
