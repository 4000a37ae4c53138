package volsh.command.render;

import java.util.List;
import java.util.Locale;
import volsh.command.failure.Similar;

/** Says that rows have no such column, and which may be meant. */
final class UnknownColumn {
    private UnknownColumn() {}

    /** {@code names}: those there are, with a comma and a blank between them. */
    static IllegalArgumentException of(Object name, String names) {
        String word = String.valueOf(name);
        List<String> similar = Similar.to(word.toLowerCase(Locale.ROOT), List.of(names.split(", ")));
        return new IllegalArgumentException(similar.isEmpty()
                ? "no column '%s' here (there are: %s)".formatted(word, names)
                : "no column '%s' here (did you mean %s?)".formatted(word, String.join(" or ", similar)));
    }
}
