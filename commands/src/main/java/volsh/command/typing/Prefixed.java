package volsh.command.typing;

import java.util.List;

/** Words before a whole line: {@code time volume list}, {@code watch 2s mounts list}. */
final class Prefixed {
    private Prefixed() {}

    /** The words of the line itself. */
    static List<String> inner(List<String> words) {
        if (words.isEmpty()) {
            return words;
        }
        return switch (words.getFirst()) {
            case "time", "volsh" -> inner(words.subList(1, words.size()));
            case "watch" -> words.size() < 2 ? words : inner(words.subList(2, words.size()));
            default -> words;
        };
    }
}
