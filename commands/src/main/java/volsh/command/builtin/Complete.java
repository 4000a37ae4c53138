package volsh.command.builtin;

import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.catalog.VolumePath;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.Session;
import volsh.command.complete.Candidate;
import volsh.command.complete.Completion;
import volsh.command.complete.ShellKind;
import volsh.command.complete.SpecCompleter;
import volsh.command.render.Printable;
import volsh.command.render.Text;
import volsh.command.run.CommandTree;

@Command(name = "__complete", hidden = true, description = {"Print completions for the end of a command line.",
        "Prints lines of word, tab, description; a line ':files' asks the shell to complete local files."})
@Examples("volsh __complete --shell bash -- completion ''")
final class Complete implements Action<Text> {
    @Option(names = "--shell", paramLabel = "SHELL", required = true,
            description = "Name the calling shell: bash, zsh or fish.")
    private ShellKind shell;

    @Parameters(paramLabel = "WORD", arity = "0..*",
            description = "Words after volsh; the last is being typed.")
    private List<String> words = List.of("");

    private final CommandTree tree;

    Complete(CommandTree tree) {
        this.tree = tree;
    }

    @Override
    public Text run(Session session) {
        List<String> before = words.subList(0, words.size() - 1);
        Completion completion = completer(before).complete(before, words.getLast());
        var lines = new StringBuilder();
        for (Candidate candidate : completion.candidates()) {
            boolean understood = shell != ShellKind.FISH || candidate.ends() || !candidate.word().endsWith("=");
            if (understood && nameable(candidate.word())) {
                lines.append(Printable.of(candidate.word())).append('\t').append(Printable.of(candidate.description()))
                        .append('\n');
            }
        }
        return new Text(lines.append(completion.localFiles() ? ":files\n" : "").toString());
    }

    /** Whether a shell can be given the word as ls shows it: with escapes, which only paths of volumes understand. */
    private static boolean nameable(String word) {
        return Printable.is(word) || VolumePath.isOne(word) && word.indexOf('\\') < 0;
    }

    /** fish matches words by any of their letters itself; help and man complete from the whole tree. */
    private SpecCompleter completer(List<String> before) {
        var spec = before.contains("help") || before.contains("man") ? tree.spec() : tree.spec(before);
        return shell == ShellKind.FISH ? SpecCompleter.loose(spec, tree.names())
                : new SpecCompleter(spec, tree.names());
    }
}
