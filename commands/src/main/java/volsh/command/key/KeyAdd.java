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

@Command(name = "add", description = {"Add a key to an encrypted volume. Each of its keys opens the volume.",
        "No data is written again: the key that encrypts the blocks stays, and is stored once more, wrapped with the"
                + " new key."})
@Examples({"volsh key add secret ops key-file:ops.key", "volsh key add secret me passphrase"})
final class KeyAdd implements Mutation<Rows<KeyRow>> {
    @Parameters(index = "0", paramLabel = "VOLUME", description = "Encrypted volume.")
    private String volume;

    @Parameters(index = "1", paramLabel = "KEY",
            description = "Name of the new key: lower case letters, digits and dashes.")
    private String key;

    @Parameters(index = "2", paramLabel = "KEYSOURCE",
            description = "Where the new key is: key-file:PATH, passphrase, env:NAME or command:LINE.")
    private KeySource source;

    @Override
    public Columns<?> columns() {
        return KeyRow.COLUMNS;
    }

    @Override
    public Plan plan(Session session) throws Exception {
        session.service(Volumes.class).settings().keys().checkAdd(volume, key, source);
        return Plan.of("add", "key '%s' of volume '%s'".formatted(key, volume), source.toString());
    }

    @Override
    public Rows<KeyRow> run(Session session) throws Exception {
        var changed = session.service(Volumes.class).settings().keys().add(volume, key, source);
        session.say("added key '%s' to volume '%s'".formatted(key, volume));
        return Rows.of(KeyRow.COLUMNS, KeyRow.of(changed)).told();
    }
}
