package volsh.prompt;

import java.util.ArrayList;
import java.util.List;
import org.jline.reader.Candidate;
import org.jline.reader.Completer;
import org.jline.reader.LineReader;
import org.jline.reader.ParsedLine;
import volsh.command.Cancellation;
import volsh.command.GlobalOptions;
import volsh.command.Host;
import volsh.command.line.LineKind;
import volsh.command.line.Program;
import volsh.command.render.Text;
import volsh.command.run.Caller;
import volsh.command.run.CommandTree;

/**
 * Completes commands as the other shells do, by asking {@code __complete}, which walks the tree and looks up live names with
 * little patience; and the names of the session in code. It never evaluates anything.
 */
final class PromptCompleter implements Completer {
    private final Caller silent;
    private final Program program;

    PromptCompleter(CommandTree tree, Host host, Program program) {
        this.silent = new Caller(tree, host.silent(), GlobalOptions.of(), Cancellation::new);
        this.program = program;
    }

    @Override
    public void complete(LineReader reader, ParsedLine line, List<Candidate> candidates) {
        boolean first = line.wordIndex() == 0;
        boolean code = program.rule().classify(line.line()) instanceof LineKind.Code;
        if (!code || first) {
            commands(line, candidates);
        }
        if (code || first) {
            names(line.word(), candidates);
        }
    }

    private void commands(ParsedLine line, List<Candidate> candidates) {
        var words = new ArrayList<>(List.of("__complete", "--shell", "bash", "--"));
        words.addAll(line.words());
        try {
            if (silent.call(words).outcome().value() instanceof Text text) {
                text.text().lines().filter(each -> !each.equals(":files")).forEach(each -> add(each, candidates));
            }
        } catch (Exception nothing) {
            // Completion that fails completes nothing.
        }
    }

    private static void add(String line, List<Candidate> candidates) {
        int tab = line.indexOf('\t');
        String word = line.substring(0, tab);
        String description = line.substring(tab + 1);
        boolean whole = !word.endsWith("=") && !word.endsWith("/") && !word.endsWith(":");
        candidates.add(new Candidate(word, word, null, description.isEmpty() ? null : description, null, null, whole));
    }

    private void names(String typed, List<Candidate> candidates) {
        for (String name : program.names()) {
            if (name.startsWith(typed)) {
                candidates.add(new Candidate(name, name, null, null, null, null, false));
            }
        }
    }
}
