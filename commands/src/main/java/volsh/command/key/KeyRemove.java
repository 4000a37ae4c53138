package volsh.command.key;

import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import volsh.command.Examples;
import volsh.command.Guard;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.volume.Volumes;

@Command(name = "remove", description = {"Remove a key of an encrypted volume: it opens the volume no more.",
        "The last key cannot be removed. No data is written again."})
@Examples({"volsh key remove secret me --dry-run", "volsh key remove secret me -y"})
final class KeyRemove implements Mutation<Rows<KeyRow>> {
    @Parameters(index = "0", paramLabel = "VOLUME", description = "Encrypted volume.")
    private String volume;

    @Parameters(index = "1", paramLabel = "KEY", description = "Key, as 'volsh key list' shows it.")
    private String key;

    @Override
    public Columns<?> columns() {
        return KeyRow.COLUMNS;
    }

    @Override
    public Guard guard(Session session) throws Exception {
        session.service(Volumes.class).settings().keys().checkRemove(volume, key);   // before any question
        return new Guard.Ask("remove key '%s' of volume '%s'?".formatted(key, volume));
    }

    @Override
    public Plan plan(Session session) throws Exception {
        session.service(Volumes.class).settings().keys().checkRemove(volume, key);
        return Plan.of("remove", "key '%s' of volume '%s'".formatted(key, volume), "");
    }

    @Override
    public Rows<KeyRow> run(Session session) throws Exception {
        var changed = session.service(Volumes.class).settings().keys().remove(volume, key);
        session.say("removed key '%s' of volume '%s'".formatted(key, volume));
        return Rows.of(KeyRow.COLUMNS, KeyRow.of(changed)).told();
    }
}
