package volsh.command.line;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import volsh.command.render.Row;
import volsh.unit.ByteSize;
import volsh.unit.Rate;

/** A value as a word that commands read back as exactly this value: a row is its name, a size all of its bytes. */
public final class Literal {
    private Literal() {}

    public static String word(@Nullable Object value) {
        return switch (value) {
            case null -> "";
            case Row row -> row.name();
            case ByteSize size -> size.exact();
            case Rate rate -> rate.exact();
            case Enum<?> constant -> volsh.command.Converters.word(constant);
            case Collection<?> many -> String.join(",", many.stream().map(Literal::word).toList());
            case Map<?, ?> map -> String.join(",",
                    map.entrySet().stream().map(entry -> entry.getKey() + "=" + word(entry.getValue())).toList());
            default -> value.toString();
        };
    }

    /** A list is as many words. */
    static List<String> words(@Nullable Object value) {
        if (!(value instanceof Collection<?> many)) {
            return List.of(word(value));
        }
        var words = new ArrayList<String>();
        many.forEach(item -> words.add(word(item)));
        return words;
    }
}
