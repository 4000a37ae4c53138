package volsh.command.typing;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A command between pipes, as people need to know it.
 *
 * @param usage what stands behind its name
 */
record PipeWord(String name, String usage, String summary) {
    static final List<PipeWord> ALL = List.of(
            new PipeWord("where", "{ CODE }", "rows for which the code is true"),
            new PipeWord("select", "COLUMN,COLUMN", "these columns alone"),
            new PipeWord("sort", "COLUMN", "in the order of a column; -COLUMN descending"),
            new PipeWord("first", "[N]", "the first row, or so many"),
            new PipeWord("last", "[N]", "the last row, or so many"),
            new PipeWord("count", "", "how many there are"),
            new PipeWord("sum", "[COLUMN]", "what they add up to"),
            new PipeWord("group", "COLUMN", "a row for each different value"),
            new PipeWord("uniq", "[COLUMN]", "each once"),
            new PipeWord("each", "{ CODE }", "what the code makes of each row"),
            new PipeWord("grep", "REGEX", "rows with a match"),
            new PipeWord("to", "FORMAT", "text in a format"),
            new PipeWord("from", "FORMAT", "values of a text"),
            new PipeWord("tee", "FILE", "the rows, also to a file"));

    static Optional<PipeWord> named(String name) {
        return ALL.stream().filter(word -> word.name.equals(name)).findFirst();
    }

    /** The columns that leave this stage when these come in. */
    static List<String> columns(List<String> stage, List<String> before) {
        String verb = stage.isEmpty() ? "" : stage.getFirst();
        return switch (verb) {
            case "select" -> stage.get(stage.size() - 1).startsWith("{") ? List.of() : listed(stage);
            case "group" -> {
                var columns = new ArrayList<>(listed(stage));
                columns.add("count");
                yield columns;
            }
            case "where", "sort", "first", "last", "uniq", "grep", "tee" -> before;
            default -> List.of();
        };
    }

    private static List<String> listed(List<String> stage) {
        return stage.subList(1, stage.size()).stream().flatMap(word -> List.of(word.split(",")).stream())
                .filter(name -> !name.isEmpty()).toList();
    }
}
