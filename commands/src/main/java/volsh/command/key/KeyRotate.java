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

@Command(name = "rotate", description = {"Replace a key of an encrypted volume: the old one opens it no more.",
        "No data is written again. An older copy of the volume's metadata still opens with the old key."})
@Examples({"volsh key rotate secret default key-file:new.key", "volsh key rotate secret me passphrase"})
final class KeyRotate implements Mutation<Rows<KeyRow>> {
    @Parameters(index = "0", paramLabel = "VOLUME", description = "Encrypted volume.")
    private String volume;

    @Parameters(index = "1", paramLabel = "KEY",
            description = "Key to replace, as 'volsh key list' shows it.")
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
        session.service(Volumes.class).settings().keys().requireKey(volume, key);
        return Plan.of("replace", "key '%s' of volume '%s'".formatted(key, volume), source.toString());
    }

    @Override
    public Rows<KeyRow> run(Session session) throws Exception {
        var changed = session.service(Volumes.class).settings().keys().rotate(volume, key, source);
        session.say("replaced key '%s' of volume '%s'".formatted(key, volume));
        return Rows.of(KeyRow.COLUMNS, KeyRow.of(changed)).told();
    }
}
