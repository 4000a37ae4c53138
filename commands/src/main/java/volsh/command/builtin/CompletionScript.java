package volsh.command.builtin;

import java.io.IOException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.Session;
import volsh.command.complete.ShellKind;
import volsh.command.man.ScriptStubs;
import volsh.command.render.Text;
import volsh.command.run.CommandTree;

@Command(name = "completion", description = {"Print the completion script for your shell or editor.",
        "bash: source <(volsh completion bash). zsh: source <(volsh completion zsh). fish: volsh completion fish |"
                + " source. groovy prints every command as a method, for editors that complete Groovy scripts: volsh"
                + " completion groovy > VolshDsl.groovy. gdsl makes IntelliJ use it in all scripts: volsh completion"
                + " gdsl > volsh.gdsl."})
@Examples({"volsh completion bash", "volsh completion zsh", "volsh completion fish", "volsh completion groovy",
        "volsh completion gdsl"})
final class CompletionScript implements Action<Text> {
    private final CommandTree tree;

    @Parameters(paramLabel = "SHELL", description = "Shell or editor: bash, zsh, fish, groovy or gdsl.")
    private Target target;

    /** Who completes. */
    enum Target { BASH, ZSH, FISH, GROOVY, GDSL }

    CompletionScript(CommandTree tree) {
        this.tree = tree;
    }

    @Override
    public Text run(Session session) throws IOException {
        return new Text(switch (target) {
            case GROOVY -> ScriptStubs.of(tree.spec());
            case GDSL -> ScriptStubs.GDSL;
            case BASH, ZSH, FISH -> ShellKind.valueOf(target.name()).script();
        });
    }
}
