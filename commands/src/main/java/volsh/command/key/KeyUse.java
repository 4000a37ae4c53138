package volsh.command.key;

import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import volsh.catalog.KeySource;
import volsh.command.Examples;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.volume.Volumes;

@Command(name = "use", description = {"Tell this machine where to find a key that opens an encrypted volume.",
        "The key is tried first. Needed after 'volsh volume attach', and when a key file moves. Only where the key is"
                + " gets stored, never the key."})
@Examples({"volsh key use secret key-file:ops.key", "volsh key use secret 'command:vault read volsh'"})
final class KeyUse implements Mutation<Rows<KeyRow>> {
    @Parameters(index = "0", paramLabel = "VOLUME", description = "Encrypted volume.")
    private String volume;

    @Parameters(index = "1", paramLabel = "KEYSOURCE",
            description = "Where the key is: key-file:PATH, passphrase, env:NAME or command:LINE.")
    private KeySource source;

    @Override
    public Columns<?> columns() {
        return KeyRow.COLUMNS;
    }

    @Override
    public Plan plan(Session session) throws Exception {
        session.service(Volumes.class).settings().keys().list(volume);
        return Plan.of("use", "key of volume '%s'".formatted(volume), source.toString());
    }

    @Override
    public Rows<KeyRow> run(Session session) throws Exception {
        var keys = session.service(Volumes.class).settings().keys();
        keys.use(volume, source);
        session.say("volume '%s' opens with %s on this machine".formatted(volume, source));
        return Rows.of(KeyRow.COLUMNS, KeyRow.of(keys.list(volume))).told();
    }
}
