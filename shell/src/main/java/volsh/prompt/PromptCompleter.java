package volsh.prompt;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jline.reader.Candidate;
import org.jline.reader.Completer;
import org.jline.reader.CompletingParsedLine;
import org.jline.reader.CompletionMatcher;
import org.jline.reader.LineReader;
import org.jline.reader.ParsedLine;
import org.jspecify.annotations.Nullable;
import volsh.command.complete.CompletionSources;
import volsh.command.complete.Match;
import volsh.command.render.Printable;
import volsh.command.typing.Completed;
import volsh.command.typing.Lexicon;
import volsh.command.typing.LineCompleter;

/**
 * Completes lines in JLine's menu. What fits, and in what order, is decided before; JLine only shows it. It never
 * evaluates anything, and waits no longer than live names may take.
 */
final class PromptCompleter implements Completer, CompletionMatcher {
    /** The maximum number of candidates shown; more would make the menu slow. */
    private static final int SHOWN_MAX = 500;
    private static final int DESCRIPTION_MAX = 60;

    private final LineCompleter completer;
    private final CompletionSources live;
    private final CompletableFuture<?> tree;
    private final String ellipsis;
    private Completed last = new Completed(0, "", List.of());

    /** {@code tree}: the commands; {@code ellipsis}: what stands for the rest of a long description. */
    PromptCompleter(Lexicon lexicon, CompletableFuture<?> tree, String ellipsis) {
        this.tree = tree;
        this.completer = new LineCompleter(lexicon);
        this.live = lexicon.live();
        this.ellipsis = ellipsis;
    }

    /** The candidates at the cursor; cached for the calls that follow. */
    Completed at(String line, int cursor) {
        live.begin();
        Completed all = tree.isDone() ? completer.complete(line, cursor) : new Completed(cursor, "", List.of());
        last = new Completed(all.start(), all.typed(),
                all.candidates().stream().filter(PromptCompleter::writable).toList());
        return last;
    }

    /** When names arrive that were not there in time; empty if all were there, or others can be shown. */
    Optional<CompletableFuture<@Nullable Void>> loading() {
        if (last.candidates().isEmpty() && !tree.isDone()) {
            return Optional.of(tree.thenAccept(_ -> { }));
        }
        return last.candidates().isEmpty() ? live.late() : Optional.empty();
    }

    /** Code has no escapes outside of its strings. */
    private static boolean writable(volsh.command.complete.Candidate candidate) {
        return !candidate.isCode() || Printable.is(candidate.word());
    }

    @Override
    public void complete(LineReader reader, ParsedLine line, List<Candidate> candidates) {
        for (var each : last.candidates().subList(0, Math.min(SHOWN_MAX, last.candidates().size()))) {
            candidates.add(new Candidate(each.word(), Printable.of(last.lastPart(each)), null,
                    shortened(each.description()), null, null, each.ends(), candidates.size() + 1));
        }
    }

    private @Nullable String shortened(String foreign) {
        String description = Printable.of(foreign);
        if (description.isEmpty()) {
            return null;
        }
        return description.length() <= DESCRIPTION_MAX ? description
                : description.substring(0, DESCRIPTION_MAX - ellipsis.length()) + ellipsis;
    }

    @Override
    public void compile(Map<LineReader.Option, Boolean> options, boolean prefix, CompletingParsedLine line,
            boolean caseInsensitive, int errors, String originalGroupName) {
        // the candidates are filtered already
    }

    @Override
    public List<Candidate> matches(List<Candidate> candidates) {
        return new ArrayList<>(candidates);
    }

    @Override
    public @Nullable Candidate exactMatch() {
        return null;
    }

    /** Of all that fit, also of those that are not shown. */
    @Override
    public String getCommonPrefix() {
        return Match.common(last.candidates());
    }
}
