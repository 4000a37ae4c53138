package volsh.shard.format;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import volsh.json.Json;
import volsh.shard.Field;
import volsh.shard.UnfitSampleException;

/**
 * Numbers in text: with spaces, commas, semicolons or lines between them; in JSON also as an array, or as the array
 * {@code input_ids}, {@code tokens}, {@code vector} or {@code embedding} of an object; in JSONL every line is such a
 * value.
 */
final class NumberText {
    /** Texts are read at once. */
    static final int TEXT_MAX = 16 << 20;

    private static final List<String> ARRAYS = List.of("input_ids", "tokens", "vector", "embedding");

    private NumberText() {}

    static void each(Field field, Consumer<String> target) throws UnfitSampleException {
        String text = new String(content(field), UTF_8);
        try {
            switch (field.name().substring(field.name().lastIndexOf('.') + 1)) {
                case "json" -> json(text, false, target);
                case "jsonl" -> json(text, true, target);
                default -> plain(text, target);
            }
        } catch (NumberFormatException wrong) {
            throw new UnfitSampleException("field '%s' has something else than numbers, or one out of range: %s"
                    .formatted(field.name(), wrong.getMessage()));
        } catch (IOException wrong) {
            throw new UnfitSampleException("field '%s' is not JSON of numbers: %s"
                    .formatted(field.name(), wrong.getMessage()));
        }
    }

    /** All bytes of a small field. */
    static byte[] content(Field field) throws UnfitSampleException {
        if (field.size() > TEXT_MAX) {
            throw new UnfitSampleException("field '%s' has more than %d bytes".formatted(field.name(), TEXT_MAX));
        }
        try (var in = field.open()) {
            return in.readAllBytes();
        } catch (IOException failed) {
            throw new UnreadableFieldException(field, failed).unfit();
        }
    }

    private static void plain(String text, Consumer<String> target) {
        int from = -1;
        for (int i = 0; i <= text.length(); i++) {
            boolean between = i == text.length() || " \t\r\n,;".indexOf(text.charAt(i)) >= 0;
            if (between && from >= 0) {
                target.accept(text.substring(from, i));
                from = -1;
            } else if (!between && from < 0) {
                from = i;
            }
        }
    }

    private static void json(String text, boolean isOneLineEach, Consumer<String> target) throws IOException {
        for (String line : isOneLineEach ? text.lines().filter(each -> !each.isBlank()).toList() : List.of(text)) {
            value(Json.readValue(line.getBytes(UTF_8)), target);
        }
    }

    private static void value(@Nullable Object value, Consumer<String> target) throws IOException {
        switch (value) {
            case Number number -> target.accept(number.toString());
            case List<?> list -> {
                for (Object each : list) {
                    value(each, target);
                }
            }
            case Map<?, ?> map -> value(ARRAYS.stream().filter(map::containsKey).map(name -> (Object) map.get(name))
                    .findFirst().orElseThrow(() -> new IOException("none of " + ARRAYS)), target);
            case null, default -> throw new IOException("'%s' is not a number".formatted(value));
        }
    }
}
