package volsh.prompt;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import org.jline.reader.Binding;
import org.jline.reader.Buffer;
import org.jline.reader.Candidate;
import org.jline.reader.LineReader;
import org.jline.reader.Reference;
import org.jline.reader.impl.LineReaderImpl;
import org.jline.terminal.Terminal.Signal;
import org.jline.utils.AttributedString;
import org.jline.utils.AttributedStringBuilder;
import org.jline.utils.AttributedStyle;
import org.jline.utils.InfoCmp.Capability;
import org.jline.utils.NonBlockingReader;
import org.jspecify.annotations.Nullable;

/**
 * JLine's editor, which draws a tip below the line during typing. It is part of what is drawn, as the menu is: the
 * terminal scrolls by itself, and when the line is finished the tip is gone. (JLine's own place for this, a status bar,
 * keeps the last
 * row of the terminal for itself and scrolls the screen each time it comes.)
 *
 * <p>TAB puts in what all candidates share; without that it shows them, and only the next TAB chooses one.
 */
final class TippedReader extends LineReaderImpl {
    private static final List<String> ABORT = List.of("abort", LineReader.SEND_BREAK);
    /** Rows that a list below the line leaves free: for the line itself, and for what comes next. */
    private static final int LINES_AROUND = 4;
    private static final String LOADING = "loading…";
    private static final long PEEK_MILLIS = 20;
    /** For the commands, then for names; a source that fails is not asked over and over. */
    private static final int WAITS_MAX = 2;
    private static final String LOADED = "loaded: TAB shows the names";

    private final PromptTip tip;
    private final PromptCompleter names;
    private final boolean reflows;
    private boolean insisted;
    private Buffer typed = buf.copy();
    /** What is shown instead of the tip, as long as the line is the one it was shown for. */
    private volatile Notice notice = new Notice("", "");

    private record Notice(String line, String text) {}

    private TippedReader(LineReaderImpl built, PromptCompleter names, PromptTip tip, boolean reflows) {
        super(built.getTerminal(), built.getAppName(), built.getVariables());
        this.tip = tip;
        this.names = names;
        this.reflows = reflows;
    }

    /**
     * A reader that does what the other was built for, and has tips. The other one is not to be used any more. {@code
     * reflows}: whether the terminal breaks its lines anew when its width changes.
     */
    static TippedReader of(LineReaderImpl built, PromptCompleter completer, PromptTip tip, boolean reflows) {
        var reader = new TippedReader(built, completer, tip, reflows);
        reader.setHistory(built.getHistory());
        reader.setParser(built.getParser());
        reader.setExpander(built.getExpander());
        reader.setHighlighter(built.getHighlighter());
        reader.setCompleter(completer);
        reader.setCompletionMatcher(completer);
        for (Option option : Option.values()) {
            reader.option(option, built.isSet(option));
        }
        return reader;
    }

    @Override
    public AttributedString getDisplayedBufferWithPrompts(List<AttributedString> secondaryPrompts) {
        AttributedString line = super.getDisplayedBufferWithPrompts(secondaryPrompts);
        boolean typing = reading && state == State.NORMAL && post == null && searchTerm == null;
        if (!typing) {
            return line;
        }
        AttributedString below = below();
        return below.length() == 0 ? line
                : new AttributedStringBuilder().append(line).append("\n").append(below).toAttributedString();
    }

    private AttributedString below() {
        Notice shown = notice;
        boolean noted = !shown.text().isEmpty() && shown.line().equals(buf.toString());
        return noted ? new AttributedString(shown.text())
                : tip.of(buf.toString(), buf.cursor(), size.getRows(), size.getColumns());
    }

    @Override
    protected boolean doComplete(CompletionType type, boolean useMenu, boolean prefix, boolean forSuggestion) {
        insisted = false;
        typed = buf.copy();
        boolean completed = super.doComplete(type, useMenu, prefix, forSuggestion);
        for (int waits = 0; waits < WAITS_MAX && !forSuggestion; waits++) {
            var missing = names.loading();
            if (missing.isEmpty()) {
                break;
            }
            announce(missing.get());
            if (!arrives(missing.get())) {
                break;
            }
            completed = super.doComplete(type, useMenu, prefix, forSuggestion);
        }
        return completed;
    }

    /** Waits for the names, but never longer than until a key is pressed. */
    private boolean arrives(CompletableFuture<@Nullable Void> arrival) {
        redisplay();
        while (!arrival.isDone()) {
            if (bindingReader.peekCharacter(PEEK_MILLIS) != NonBlockingReader.READ_EXPIRED) {
                return false;
            }
        }
        notice = new Notice("", "");
        return true;
    }

    /** What is missing is announced; when it is there after other keys were pressed, that is told, too. */
    private void announce(CompletableFuture<@Nullable Void> arrival) {
        String line = buf.toString();
        notice = new Notice(line, LOADING);
        var _ = arrival.thenRun(() -> {
            if (notice.line().equals(line)) {
                notice = new Notice(line, LOADED);
                redrawn();
            }
        });
    }

    /** Draws the line again, if one is being typed. From any thread. */
    void redrawn() {
        try {
            callWidget(LineReader.REDISPLAY);
        } catch (IllegalStateException notTyping) {
            // the line was finished meanwhile
        }
    }

    @Override
    protected boolean nextBindingIsComplete() {
        insisted = super.nextBindingIsComplete();
        return insisted;
    }

    /** Shows the candidates below the line as it was typed; TAB again chooses one. */
    @Override
    protected boolean doMenu(List<Candidate> original, String completed,
            BiFunction<CharSequence, Boolean, CharSequence> escaper) {
        if (insisted) {
            return super.doMenu(original, completed, escaper);
        }
        Buffer without = buf.copy();
        buf.copyFrom(typed);
        Collections.sort(original);
        post = () -> listing(original, completed);
        insisted = nextBindingIsComplete();
        post = null;
        if (!insisted) {
            return true;
        }
        buf.copyFrom(without);
        return super.doMenu(original, completed, escaper);
    }

    private AttributedString listing(List<Candidate> candidates, String completed) {
        int widest = candidates.stream().mapToInt(this::cells).max().orElse(0);
        var columns = new AttributedStringBuilder();
        toColumns(candidates, size.getColumns(), widest, columns, null, completed, isSet(Option.LIST_ROWS_FIRST), false,
                new int[3]);
        List<AttributedString> rows = columns.toAttributedString().columnSplitLength(size.getColumns());
        int room = Math.max(1, size.getRows() - LINES_AROUND);
        var shown = new AttributedStringBuilder();
        shown.append(AttributedString.join(new AttributedString("\n"), rows.subList(0, Math.min(room, rows.size()))));
        return (rows.size() <= room ? shown : shown.append("\n%d more: TAB chooses among all of them"
                .formatted(candidates.size() - candidates.size() * room / rows.size()))).toAttributedString();
    }

    private int cells(Candidate candidate) {
        return display.wcwidth(candidate.displ())
                + (candidate.descr() == null ? 0 : " ()".length() + display.wcwidth(candidate.descr()));
    }

    /** Readable on any background, which grey is not. */
    @Override
    protected AttributedStyle getCompletionStyleDescription() {
        return AttributedStyle.DEFAULT;
    }

    @Override
    protected AttributedStyle getCompletionStyleStarting() {
        return AttributedStyle.BOLD;
    }

    /** Ctrl-R: the typed letters filter a list of lines, of which the newest, or the chosen one, is in the line. */
    boolean searchHistory() {
        Buffer before = buf.copy();
        var search = new HistorySearch(history);
        try {
            while (true) {
                buf.clear();
                buf.write(search.selected().orElse(before.toString()));
                post = () -> search.shown(Math.max(1, size.getRows() - LINES_AROUND), size.getColumns());
                redisplay();
                Binding key = readBinding(getKeys(), HistorySearch.LEAVING);
                String name = key instanceof Reference reference ? reference.name() : "";
                if (ABORT.contains(name)) {
                    buf.copyFrom(before);
                }
                if (ABORT.contains(name) || name.equals(HistorySearch.LEAVE)) {
                    return true;
                }
                if (!search.take(name, getLastBinding())) {
                    bindingReader.runMacro(getLastBinding());
                    return true;
                }
            }
        } finally {
            post = null;
        }
    }

    /** Removes what is drawn, wherever the terminal has moved it, before it is drawn anew at another width. */
    @Override
    protected synchronized void handleSignal(Signal signal) {
        int columns = terminal.getBufferSize().getColumns();
        if (signal == Signal.WINCH && reading && columns > 0 && columns != size.getColumns()) {
            int rows = new DrawnLine(prompt, rightPrompt, buf.upToCursor(), secondary(), size.getColumns())
                    .rowsAbove(reflows ? columns : size.getColumns());
            for (int i = 0; i < rows; i++) {
                terminal.puts(Capability.cursor_up);
            }
            terminal.puts(Capability.carriage_return);
            terminal.puts(Capability.clr_eos);
        }
        super.handleSignal(signal);
    }

    private List<AttributedString> secondary() {
        var prompts = new ArrayList<AttributedString>();
        super.getDisplayedBufferWithPrompts(prompts);
        return prompts;
    }
}
