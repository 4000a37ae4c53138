package volsh.command.builtin;

import java.util.ArrayList;
import java.util.List;
import volsh.command.Converters;
import volsh.command.complete.CompletionSources;
import volsh.command.line.RunScript;
import volsh.command.run.CommandTree;
import volsh.command.run.Node;

/** Builds the command tree: the application's commands, and help, man, completion, run and version. */
public final class Builtins {
    private final CommandTree tree;

    private Builtins(List<Node> nodes, Converters converters, CompletionSources sources) {
        var all = new ArrayList<>(nodes);
        all.add(Node.command("run", () -> new RunScript(this::tree)));
        all.add(Node.command("help", () -> new Help(tree())));
        all.add(Node.command("man", () -> new Man(tree())));
        all.add(Node.command("completion", () -> new CompletionScript(tree())));
        all.add(Node.command("version", Version::new));
        all.add(Node.command("__complete", () -> new Complete(tree())));
        all.add(Node.command("selftrain", () -> new SelfTrain(tree())));
        this.tree = new CommandTree(all, converters, sources);
    }

    public static CommandTree tree(List<Node> nodes, Converters converters, CompletionSources sources) {
        return new Builtins(nodes, converters, sources).tree;
    }

    private CommandTree tree() {
        return tree;
    }
}
