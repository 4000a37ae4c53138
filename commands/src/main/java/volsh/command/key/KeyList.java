package volsh.command.key;

import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.Listing;
import volsh.command.Session;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.volume.Volumes;

@Command(name = "list", description = {"List the keys of an encrypted volume. Each of them opens it.",
        "Shows what they are called and of which kind they are, never a key. Needs no key itself."})
@Examples({"volsh key list secret", "volsh key list secret -o json"})
final class KeyList implements Action<Rows<KeyRow>>, Listing {
    @Parameters(paramLabel = "VOLUME", description = "Encrypted volume.")
    private String volume;

    @Override
    public Columns<?> columns() {
        return KeyRow.COLUMNS;
    }

    @Override
    public Rows<KeyRow> run(Session session) throws Exception {
        return Rows.of(KeyRow.COLUMNS, KeyRow.of(session.service(Volumes.class).settings().keys().list(volume)));
    }
}
