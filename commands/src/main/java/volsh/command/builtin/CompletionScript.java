package volsh.command.builtin;

import java.io.IOException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.Session;
import volsh.command.complete.ShellKind;
import volsh.command.render.Text;

@Command(name = "completion", description = {"Print the completion script for your shell.",
        "bash: source <(volsh completion bash). zsh: source <(volsh completion zsh). fish: volsh completion fish |"
                + " source."})
@Examples({"volsh completion bash", "volsh completion zsh", "volsh completion fish"})
final class CompletionScript implements Action<Text> {
    @Parameters(paramLabel = "SHELL", description = "Shell: bash, zsh or fish.")
    private ShellKind shell;

    @Override
    public Text run(Session session) throws IOException {
        return new Text(shell.script());
    }
}
