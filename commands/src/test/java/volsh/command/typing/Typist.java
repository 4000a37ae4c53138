package volsh.command.typing;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import picocli.CommandLine.Model.CommandSpec;
import volsh.catalog.VolumePath;
import volsh.command.Services;
import volsh.command.complete.Candidate;
import volsh.command.complete.CompletionSource;
import volsh.command.complete.CompletionSources;
import volsh.command.line.LineRule;
import volsh.command.line.Program;
import volsh.command.tree.Commands;

/** The whole tree with two volumes and a store, and somebody who types. */
final class Typist {
    static final CommandSpec TREE = Commands.tree(new Services()).spec();
    private static final Map<String, String> OWN = Map.of("quit", "Leave.", "time", "How long.", "watch", "Again.",
            "source", "A file.");

    final Lexicon lexicon;
    private final LineCompleter completer;

    Typist() {
        CompletionSource volumes = _ -> List.of(Candidate.name("training-data", "14GiB, on /mnt/a"),
                Candidate.name("eval", "1GiB"));
        CompletionSource paths = _ -> List.of(Candidate.name("training-data:/shards/", "directory"),
                Candidate.name("training-data:/labels.txt", "file"));
        this.lexicon = lexicon(new CompletionSources(Duration.ofSeconds(60)).with("VOLUME", volumes)
                .with("VOL:/PATH", paths)
                .with("VOLUME[:PATH]", volumes));
        this.completer = new LineCompleter(lexicon);
    }

    static Lexicon lexicon(CompletionSources live) {
        return lexicon(live, Optional.empty());
    }

    static Lexicon lexicon(CompletionSources live, Optional<VolumePath> directory) {
        var names = Set.of("volumes", "mounts", "stores", "emit", "hot", "retry");
        var rule = new LineRule(name -> TREE.subcommands().containsKey(name) || OWN.containsKey(name),
                name -> names.contains(name) || Program.WORDS.contains(name));
        return new Lexicon(() -> TREE, live, rule, () -> OWN, () -> names, () -> directory, _ -> Optional.empty());
    }

    /** What fits at {@code ▮}, or else at the end. */
    Completed complete(String line) {
        int cursor = line.indexOf('▮');
        return cursor < 0 ? completer.complete(line, line.length()) : completer.complete(line.replace("▮", ""), cursor);
    }

    List<String> words(String line) {
        return complete(line).candidates().stream().map(Candidate::word).toList();
    }

    /** The line with the first of what fits put in. */
    String first(String line) {
        Completed completed = complete(line);
        return line.substring(0, completed.start()) + completed.candidates().getFirst().word();
    }

    /** The line with its marks: {@code <COMMAND:volume>}. */
    String coloured(String line) {
        var shown = new StringBuilder();
        int at = 0;
        for (Mark mark : new Colouring(lexicon).marks(line)) {
            if (mark.start() >= at) {
                shown.append(line, at, mark.start()).append('<').append(mark.kind()).append(':')
                        .append(line, mark.start(), mark.end()).append('>');
                at = mark.end();
            }
        }
        return shown.append(line.substring(at)).toString();
    }

    Tip tip(String line) {
        return Tip.of(line, line.length(), lexicon);
    }
}
