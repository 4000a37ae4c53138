package volsh.command.token;

import java.time.Instant;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.Session;
import volsh.command.Tabular;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.volume.Volumes;

@Command(name = "show", description = "Show a token; its password is not stored anywhere.")
@Examples("volsh token show shared k3v9qxw2mp")
final class TokenShow implements Action<Rows<TokenRow>>, Tabular {
    @Parameters(index = "0", paramLabel = "VOLUME", description = "Volume of the token.")
    private String volume;

    @Parameters(index = "1", paramLabel = "TOKEN", description = "Token, as 'volsh token list' shows it.")
    private String id;

    @Override
    public Columns<?> columns() {
        return TokenRow.COLUMNS;
    }

    @Override
    public Rows<TokenRow> run(Session session) throws Exception {
        return Rows.one(TokenRow.COLUMNS, new TokenRow(volume, session.service(Volumes.class).tokens().find(volume, id),
                Instant.now()));
    }
}
