package volsh.command.typing;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import picocli.CommandLine.Model.CommandSpec;
import volsh.catalog.VolumePath;
import volsh.command.complete.Candidate;
import volsh.command.complete.CompletionSources;
import volsh.command.line.LineRule;

/**
 * The known words.
 *
 * @param tree  every command; made once, and only read
 * @param live  live names
 * @param rule  tells commands from code
 * @param more  other words that begin a command line, with what they do
 * @param names words of the language, and names of the session
 * @param directory the working directory of the session
 * @param own   what may follow these words, the first of which is one of {@code more}; empty for those of the tree
 */
public record Lexicon(Supplier<CommandSpec> tree, CompletionSources live,
        LineRule rule, Supplier<Map<String, String>> more, Supplier<Set<String>> names,
        Supplier<Optional<VolumePath>> directory,
        Function<List<String>, Optional<List<Candidate>>> own) {}
