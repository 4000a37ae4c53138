package volsh.script;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import volsh.command.line.Language.Source;

/** Maps a failure to the user's text: knows the text of each compiled unit. */
final class Places {
    private static final int MOST_LINES = 6;

    private final Map<String, Source> sources = new ConcurrentHashMap<>();
    private final Map<String, Integer> inserted = new ConcurrentHashMap<>();

    void add(String unit, Source source) {
        sources.put(unit, source);
    }

    /** {@code before}: how many characters are compiled before the user's first line. */
    void add(String unit, Source source, int before) {
        add(unit, source);
        inserted.put(unit, before);
    }

    /** A line of the user's text. {@code before}: by how much columns of the compiled line are larger. */
    record Place(String name, int number, String line, int before) {
        @Override
        public String toString() {
            return name + ":" + number + ": " + line.strip();
        }
    }

    /** The user's lines that were running, the innermost first; a line that calls itself is there once. */
    List<Place> of(Throwable failure) {
        var lines = new LinkedHashSet<Place>();
        for (Throwable at = failure; at != null && lines.isEmpty(); at = at.getCause()) {
            for (StackTraceElement frame : at.getStackTrace()) {
                Source source = frame.getFileName() == null ? null : sources.get(frame.getFileName());
                if (source != null && frame.getLineNumber() > 0) {
                    lines.add(line(source, frame.getLineNumber(), 0));
                }
            }
        }
        return List.copyOf(lines);
    }

    /** The same as text: the line itself, then {@code from} each line that led to it. */
    List<String> chain(Throwable failure) {
        List<Place> lines = of(failure);
        var chain = new ArrayList<String>();
        for (Place line : lines.subList(0, Math.min(MOST_LINES, lines.size()))) {
            chain.add((chain.isEmpty() ? "" : "from ") + line);
        }
        if (lines.size() > MOST_LINES) {
            chain.add("from %d more".formatted(lines.size() - MOST_LINES));
        }
        return chain;
    }

    Optional<Place> of(String unit, int number) {
        return Optional.ofNullable(sources.get(unit)).map(source ->
                line(source, number, number == source.firstLine() ? inserted.getOrDefault(unit, 0) : 0));
    }

    private static Place line(Source source, int number, int before) {
        var lines = source.text().lines().toList();
        int index = number - source.firstLine();
        return new Place(source.name(), number, index >= 0 && index < lines.size() ? lines.get(index) : "",
                before);
    }
}
