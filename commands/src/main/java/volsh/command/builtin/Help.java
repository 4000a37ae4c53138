package volsh.command.builtin;

import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.Session;
import volsh.command.man.HelpPage;
import volsh.command.man.Manual;
import volsh.command.render.Text;
import volsh.command.run.CommandTree;

@Command(name = "help", description = "Show what a command does, with examples.")
@Examples({"volsh help", "volsh help completion"})
final class Help implements Action<Text> {
    @Parameters(paramLabel = "COMMAND", arity = "0..*", description = "The words of the command; none for an overview.")
    private List<String> command = List.of();

    private final CommandTree tree;

    Help(CommandTree tree) {
        this.tree = tree;
    }

    @Override
    public Text run(Session session) {
        var spec = Found.command(tree.spec(), command);
        return new Text(HelpPage.of(Manual.of(spec), session.width(), session.view().colour()));
    }
}
