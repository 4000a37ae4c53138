package volsh.command.man;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import volsh.command.failure.ExitCode;

/**
 * A help page about a subject rather than a command.
 *
 * @param words other words under which it is found
 */
public record Topic(String name, String summary, Set<String> words) {
    private static final String EXIT_CODES = "exit-codes";
    private static final List<Topic> ALL = List.of(
            of("tour", "The main features in ten minutes, to paste.", "tutorial"),
            of("prompt", "Lines, keys, completion and history at the prompt.", "keys", "repl", "history", "watch",
                    "time", "alias", "unalias", "transcript", "set", "unset", "vars", "source", "jobs", "fg", "wait",
                    "kill", "theme", "pager", "clear", "quit"),
            of("pipes", "Pipe rows through where, select, sort, to and others.", "where", "select", "sort", "first",
                    "last", "count", "sum", "group", "uniq", "each", "to", "from", "tee", "grep", "get", "skip",
                    "reverse", "reject", "rename", "add", "columns", "min", "max", "avg"),
            of("scripts", "Groovy with every command as a method, and files of command lines.", "groovy", "dsl",
                    "slurm"),
            of("output", "Formats, columns, colours and progress.", "formats", "json"),
            of("units", "Notation of sizes, times and rates.", "sizes", "times"),
            of(EXIT_CODES, "Exit codes and their meaning.", "exit", "errors"),
            of("safety", "Dry runs, confirmations and ensure.", "dry-run"),
            of("durability", "How durable a file is, and what it survives.", "fsync"),
            of("paths", "VOLUME:/path and local files.", "files"),
            of("completion", "Completion in bash, zsh, fish and at the prompt.", "tab"),
            of("environment", "Environment variables.", "variables"));

    private static Topic of(String name, String summary, String... words) {
        return new Topic(name, summary, Set.of(words));
    }

    public static List<Topic> all() {
        return ALL;
    }

    /** The topic of this name, or one that is also found under it. */
    public static Optional<Topic> named(String word) {
        return ALL.stream().filter(topic -> topic.name.equals(word)).findFirst()
                .or(() -> ALL.stream().filter(topic -> topic.words.contains(word)).findFirst());
    }

    /** The page: paragraphs, headings behind {@code ##}, and lines with a blank in front that stay as they are. */
    public String text() {
        String file = "topics/" + name + ".txt";
        try (InputStream page = name.equals(EXIT_CODES) ? null : Topic.class.getResourceAsStream(file)) {
            return page == null ? exitCodes() : new String(page.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException unreadable) {
            throw new UncheckedIOException("cannot read the page " + file, unreadable);
        }
    }

    private static String exitCodes() {
        var text = new StringBuilder("Exit codes of all commands. They are stable; retry only 6 and 124.\n\n");
        for (ExitCode code : ExitCode.values()) {
            text.append("  %3d  %-16s %s\n".formatted(code.status(), code.kind(), code.meaning()));
        }
        return text.append("\nWith -o json an error has its code, kind and whether to retry: exit, kind, retryable.\n")
                .toString();
    }
}
