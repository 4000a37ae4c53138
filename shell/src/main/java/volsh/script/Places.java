package volsh.script;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import volsh.command.line.Language.Source;

/** Knows where in the user's text a failure happened: which text each compiled unit came from. */
final class Places {
    private final Map<String, Source> sources = new ConcurrentHashMap<>();

    void add(String unit, Source source) {
        sources.put(unit, source);
    }

    /** A line of the user's text. */
    record Place(String name, int number, String line) {
        @Override
        public String toString() {
            // a block in a pipe was not written with it
            String typed = name.equals("line") ? line.strip().replaceFirst("^return (?=\\{)", "") : line.strip();
            return name + ":" + number + ": " + typed;
        }
    }

    /** The innermost line of the user's that was running. */
    Optional<Place> of(Throwable failure) {
        for (Throwable at = failure; at != null; at = at.getCause()) {
            for (StackTraceElement frame : at.getStackTrace()) {
                Source source = frame.getFileName() == null ? null : sources.get(frame.getFileName());
                if (source != null && frame.getLineNumber() > 0) {
                    return Optional.of(line(source, frame.getLineNumber()));
                }
            }
        }
        return Optional.empty();
    }

    Optional<Place> of(String unit, int number) {
        return Optional.ofNullable(sources.get(unit)).map(source -> line(source, number));
    }

    private static Place line(Source source, int number) {
        var lines = source.text().lines().toList();
        int index = number - source.firstLine();
        return new Place(source.name(), number, index >= 0 && index < lines.size() ? lines.get(index) : "");
    }
}
