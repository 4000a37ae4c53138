package volsh.command.typing;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The name, usage and summary of a command between pipes.
 *
 * @param usage what stands behind its name
 */
record PipeWord(String name, String usage, String summary) {
    static final List<PipeWord> ALL = List.of(
            new PipeWord("where", "COLUMN > VALUE", "keep rows for which it is true; or { CODE }"),
            new PipeWord("select", "COLUMN,COLUMN", "keep only these columns"),
            new PipeWord("sort", "COLUMN", "sort by a column; -COLUMN descending"),
            new PipeWord("first", "[N]", "keep the first row, or N rows"),
            new PipeWord("last", "[N]", "keep the last row, or N rows"),
            new PipeWord("count", "", "count the rows"),
            new PipeWord("sum", "[COLUMN]", "add up values"),
            new PipeWord("group", "COLUMN", "make one row per value"),
            new PipeWord("uniq", "[COLUMN]", "keep each row once"),
            new PipeWord("each", "{ CODE }", "replace each row by the result of the code"),
            new PipeWord("grep", "REGEX", "keep rows with a match"),
            new PipeWord("to", "FORMAT", "convert to text"),
            new PipeWord("from", "FORMAT", "parse text"),
            new PipeWord("tee", "FILE", "also write the rows to a file"),
            new PipeWord("get", "COLUMN", "take the values of a column; or the row with a number"),
            new PipeWord("skip", "[N]", "leave out the first row, or N rows"),
            new PipeWord("reverse", "", "turn the order around"),
            new PipeWord("reject", "COLUMN,COLUMN", "leave out these columns"),
            new PipeWord("rename", "OLD=NEW", "rename columns"),
            new PipeWord("add", "NAME { CODE }", "add a column with the result of the code"),
            new PipeWord("columns", "", "list the names of the columns"),
            new PipeWord("min", "COLUMN", "find the smallest value"),
            new PipeWord("max", "COLUMN", "find the largest value"),
            new PipeWord("avg", "COLUMN", "compute the average"));

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
            case "where", "sort", "first", "last", "uniq", "grep", "tee", "skip", "reverse" -> before;
            case "reject" -> before.stream().filter(name -> !listed(stage).contains(name)).toList();
            case "add" -> stage.size() < 2 ? before : Stream.concat(before.stream(), Stream.of(stage.get(1))).toList();
            default -> List.of();
        };
    }

    private static List<String> listed(List<String> stage) {
        return stage.subList(1, stage.size()).stream().flatMap(word -> List.of(word.split(",")).stream())
                .filter(name -> !name.isEmpty()).toList();
    }
}
