package volsh.command.builtin;

import java.io.IOException;
import picocli.CommandLine.Command;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.Session;
import volsh.command.run.BuildFacts;

@Command(name = "version", description = "Show which build of volsh this is.")
@Examples({"volsh version", "volsh version -o value:version"})
final class Version implements Action<BuildFacts> {
    @Override
    public BuildFacts run(Session session) throws IOException {
        return BuildFacts.read();
    }
}
