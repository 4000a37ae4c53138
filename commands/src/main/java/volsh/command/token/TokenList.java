package volsh.command.token;

import java.time.Instant;
import java.util.ArrayList;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.command.Action;
import volsh.command.Listing;
import volsh.command.Examples;
import volsh.command.Session;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.volume.Volumes;

@Command(name = "list", description = "List the tokens of a volume, oldest first.")
@Examples({"volsh token list shared", "volsh token list shared --all -o json"})
final class TokenList implements Action<Rows<TokenRow>>, Listing {
    @Parameters(paramLabel = "VOLUME", description = "Volume to list.")
    private String volume;

    @Option(names = {"-a", "--all"}, description = "Include revoked tokens.")
    private boolean all;

    @Override
    public Columns<?> columns() {
        return TokenRow.COLUMNS;
    }

    @Override
    public Rows<TokenRow> run(Session session) throws Exception {
        var rows = new ArrayList<TokenRow>();
        for (var token : session.service(Volumes.class).tokens().list(volume)) {
            if (all || token.revoked().isEmpty()) {
                rows.add(new TokenRow(volume, token, Instant.now()));
            }
        }
        return Rows.of(TokenRow.COLUMNS, rows);
    }
}
