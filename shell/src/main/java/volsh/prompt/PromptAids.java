package volsh.prompt;

import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.jline.keymap.KeyMap;
import org.jline.reader.LineReader;
import org.jline.reader.LineReaderBuilder;
import org.jline.reader.Reference;
import org.jline.reader.impl.LineReaderImpl;
import org.jline.utils.AttributedString;
import volsh.command.console.Terminal;
import volsh.command.typing.Lexicon;

/** The typing aids: completion, colours, the tip below the line, and help for the word under the cursor. */
final class PromptAids {
    private final Lexicon lexicon;
    private final PromptCompleter completer;
    private final CompletableFuture<?> tree;
    private final boolean tips;
    private final boolean colour;
    private final Map<String, String> environment;
    private final UnaryOperator<AttributedString> theme;

    /**
     * {@code tree}: the commands of the lexicon. As long as it is being made, lines have neither colours nor tips, and
     * keys do not wait for it. {@code theme} has the last word on the colours of the line.
     */
    PromptAids(Lexicon lexicon, CompletableFuture<?> tree, Map<String, String> environment, boolean colour,
            UnaryOperator<AttributedString> theme) {
        this.lexicon = lexicon;
        this.tree = tree;
        this.completer = new PromptCompleter(lexicon, tree, Terminal.unicode(environment) ? "…" : "...");
        this.tips = !"off".equals(environment.get("VOLSH_TIPS"));
        this.colour = colour;
        this.environment = environment;
        this.theme = theme;
    }

    /** Before the reader is made. */
    LineReaderBuilder into(LineReaderBuilder builder) {
        var colours = new PromptColours(lexicon, tree::isDone);
        return builder.parser(new PromptParser(lexicon.rule(), completer)).completer(completer)
                .completionMatcher(completer)
                .highlighter((reader, line) -> theme.apply(colours.highlight(reader, line)))
                .option(LineReader.Option.AUTO_LIST, false)
                .option(LineReader.Option.AUTO_MENU, true)
                .option(LineReader.Option.AUTO_PARAM_SLASH, false)
                .option(LineReader.Option.AUTO_REMOVE_SLASH, false);
    }

    /** After the reader is made, before anything else is done with it. @return the reader to use */
    LineReader install(LineReader built) {
        boolean dumb = built.getTerminal().getType().startsWith("dumb");
        LineReader reader = dumb ? built : tipped((LineReaderImpl) built);
        new PromptHelp(lexicon, colour).install(reader);
        reader.getWidgets().put(LineReader.CALLBACK_INIT, () -> {
            lexicon.live().refresh();
            return true;
        });
        return reader;
    }

    private LineReader tipped(LineReaderImpl plain) {
        var reader = TippedReader.of(plain, completer,
                tips ? new PromptTip(lexicon, tree::isDone, colour) : PromptTip.NONE, DrawnLine.reflows(environment));
        var _ = tree.thenRun(reader::redrawn);
        reader.getWidgets().put(HistorySearch.WIDGET, reader::searchHistory);
        for (String map : new String[] {LineReader.EMACS, LineReader.VIINS}) {
            Objects.requireNonNull(reader.getKeyMaps().get(map))
                    .bind(new Reference(HistorySearch.WIDGET), KeyMap.ctrl('R'));
        }
        return reader;
    }
}
