package volsh.command.builtin;

import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.Outcome;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.command.man.HelpPage;
import volsh.command.man.Manual;
import volsh.command.man.ScriptMethod;
import volsh.command.man.Topic;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.command.render.Text;
import volsh.command.run.CommandTree;
import volsh.fs.ShellWord;

@Command(name = "help", description = {"Show help for a command, with examples, or for a topic.",
        "'volsh help' lists the topics; begin with 'volsh help tour'."
                + " 'volsh help dsl COMMAND' shows a command as a method of scripts."})
@Examples({"volsh help", "volsh help completion", "volsh help tour", "volsh help units", "volsh help dsl volume create",
        "volsh help --search size"})
final class Help implements Action<Outcome<?>> {
    @Parameters(paramLabel = "COMMAND", arity = "0..*",
            description = "Command or topic (default: an overview).")
    private List<String> command = List.of();

    @Option(names = {"-s", "--search"}, paramLabel = "WORD",
            description = "List the commands, options and topics that contain this word.")
    private String word;

    /** {@code help dsl COMMAND}: as a method of scripts. */
    private static final String DSL = "dsl";

    private final CommandTree tree;

    Help(CommandTree tree) {
        this.tree = tree;
    }

    @Override
    public Outcome<?> run(Session session) {
        return word == null ? new Outcome<>(page(session), ExitCode.OK) : search();
    }

    /** The page of a command, of a topic, or of both if they share the name. */
    private Text page(Session session) {
        if (command.size() > 1 && command.getFirst().equals(DSL)) {
            var spec = Found.command(tree.spec(), command.subList(1, command.size()));
            return new Text(HelpPage.of(ScriptMethod.of(spec), session.width(), session.view().colour()));
        }
        Optional<Topic> topic = command.size() == 1 ? Topic.named(command.getFirst()) : Optional.empty();
        boolean both = topic.isPresent() && tree.spec().subcommands().containsKey(command.getFirst());
        String page = topic.isPresent() && !both ? "" : HelpPage.of(Manual.of(Found.command(tree.spec(), command)),
                session.width(), session.view().colour());
        return new Text(page + (both ? "\n" : "")
                + topic.map(about -> HelpPage.of(about, session.width(), session.view().colour())).orElse(""));
    }

    private Outcome<?> search() {
        if (!command.isEmpty()) {
            throw CommandFailure.usage("--search takes one word").hint("volsh help --search " + ShellWord.of(word));
        }
        List<Search.Hit> hits = Search.of(tree.spec(), word);
        if (hits.isEmpty()) {
            throw CommandFailure.of(ExitCode.NOT_FOUND, "CLI-0072",
                    "no command, option or topic contains '" + word + "'").hint("volsh help");
        }
        return new Outcome<>(Rows.of(Columns.derived(Search.Hit.class), hits), ExitCode.OK);
    }
}
