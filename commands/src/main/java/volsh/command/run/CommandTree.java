package volsh.command.run;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import volsh.command.Converters;
import volsh.command.GlobalOptions;
import volsh.command.Listing;
import volsh.command.PassesWords;
import volsh.command.complete.CompletionSources;

/**
 * All commands. Reading the annotations of a hundred classes takes longer than most commands run, so a line is parsed
 * with only those commands whose names occur in it; help, completion and errors see the {@linkplain #spec() whole
 * tree}.
 */
public final class CommandTree {
    public static final String PROGRAM = "volsh";
    private static final String SUMMARY =
            "A file system for training data on object stores, and the shell that operates it.";

    private final List<Node> nodes;
    private final Converters converters;
    private final CompletionSources names;

    /** Without live names. */
    public CommandTree(List<Node> nodes, Converters converters) {
        this(nodes, converters, new CompletionSources());
    }

    /** {@code names}: the live names by which arguments are completed. */
    public CommandTree(List<Node> nodes, Converters converters, CompletionSources names) {
        this.nodes = List.copyOf(nodes);
        this.converters = converters;
        this.names = names;
    }

    /** The live names by which arguments are completed. */
    public CompletionSources names() {
        return names;
    }

    /** A parser for one line, and the options it fills. A parser is used once. */
    record Parser(CommandLine line, GlobalOptions options) {}

    /** The names and aliases that a line can begin with; nothing is made for it. */
    Set<String> beginnings() {
        var names = new HashSet<String>();
        for (Node node : nodes) {
            names.add(node.name());
            names.addAll(node.aliases());
        }
        return names;
    }

    /** Every command, freshly made. */
    public CommandSpec spec() {
        return parser(null).line().getCommandSpec();
    }

    /** The commands that occur among {@code words}, and all of a level where none does. */
    public CommandSpec spec(Collection<String> words) {
        return parser(words).line().getCommandSpec();
    }

    /** The command of this name, with all that are below it. */
    Optional<CommandSpec> command(String name) {
        List<Node> called = nodes.stream().filter(node -> node.name().equals(name) || node.aliases().contains(name))
                .toList();
        return called.stream().map(_ -> parser(called, null).line().getSubcommands().get(name).getCommandSpec())
                .findFirst();
    }

    Parser parser(Collection<String> words) {
        return parser(nodes, words);
    }

    private Parser parser(List<Node> nodes, Collection<String> words) {
        var options = new GlobalOptions();
        var root = CommandSpec.forAnnotatedObject(options).name(PROGRAM);
        root.usageMessage().description(SUMMARY);
        grow(root, nodes, words, options);
        return new Parser(converters.install(new CommandLine(root)), options);
    }

    /** Stops at a word that is no command, so that the rest of the line is known when it is reported. */
    private static void grow(CommandSpec parent, List<Node> nodes, Collection<String> words,
            GlobalOptions options) {
        parent.parser().stopAtUnmatched(true);
        for (Node node : called(nodes, words)) {
            parent.addSubcommand(node.name(), spec(node, options).aliases(node.aliases().toArray(String[]::new)));
            if (!node.nodes().isEmpty()) {
                grow(parent.subcommands().get(node.name()).getCommandSpec(), node.nodes(), words, options);
            }
        }
    }

    private static CommandSpec spec(Node node, GlobalOptions options) {
        if (node instanceof Node.Leaf leaf) {
            Object action = leaf.maker().get();
            var spec = CommandSpec.forAnnotatedObject(action).name(leaf.name());
            spec.parser().stopAtPositional(action instanceof PassesWords);
            if (action instanceof Listing listing) {
                options.rows().options(listing).forEach(more ->
                        spec.addMixin(more.getClass().getSimpleName(), CommandSpec.forAnnotatedObject(more)));
            }
            return spec;
        }
        var spec = CommandSpec.create().name(node.name());
        spec.usageMessage().description(((Node.Group) node).description());
        return spec;
    }

    private static List<Node> called(List<Node> nodes, Collection<String> words) {
        if (words == null) {
            return nodes;
        }
        var called = new ArrayList<Node>();
        for (Node node : nodes) {
            if (words.contains(node.name()) || !java.util.Collections.disjoint(words, node.aliases())) {
                called.add(node);
            }
        }
        return called.isEmpty() ? nodes : called;
    }
}
