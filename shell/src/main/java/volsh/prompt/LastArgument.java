package volsh.prompt;

import java.util.List;
import java.util.Objects;
import org.jline.keymap.KeyMap;
import org.jline.reader.LineReader;
import org.jline.reader.Reference;
import volsh.command.typing.LastWord;

/** Alt-. and Alt-_: the last word of the line before; pressed again, of the line before that. */
final class LastArgument {
    private static final String WIDGET = "volsh-last-argument";

    private final LineReader reader;
    /** The line as the last press left it, where the cursor was then, how far back it went and how much it put in. */
    private String left = "";
    private int cursor = -1;
    private int line;
    private int length;

    private LastArgument(LineReader reader) {
        this.reader = reader;
    }

    static void bind(LineReader reader) {
        var argument = new LastArgument(reader);
        reader.getWidgets().put(WIDGET, argument::insert);
        for (String map : List.of(LineReader.EMACS, LineReader.VIINS, LineReader.MAIN)) {
            Objects.requireNonNull(reader.getKeyMaps().get(map))
                    .bind(new Reference(WIDGET), KeyMap.alt('.'), KeyMap.alt('_'));
        }
    }

    private boolean insert() {
        var buffer = reader.getBuffer();
        boolean again = buffer.toString().equals(left) && buffer.cursor() == cursor;
        int from = again ? line - 1 : reader.getHistory().last();
        String word = "";
        while (from >= reader.getHistory().first() && word.isEmpty()) {
            word = LastWord.of(reader.getHistory().get(from));
            from -= word.isEmpty() ? 1 : 0;
        }
        if (word.isEmpty()) {
            return false;
        }
        if (again) {
            buffer.backspace(length);
        }
        buffer.write(word);
        line = from;
        length = word.length();
        left = buffer.toString();
        cursor = buffer.cursor();
        return true;
    }
}
