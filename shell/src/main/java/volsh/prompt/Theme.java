package volsh.prompt;

import java.util.Locale;
import java.util.Map;
import org.jline.utils.AttributedString;
import org.jline.utils.AttributedStringBuilder;
import org.jline.utils.AttributedStyle;

/** The colours of the line that is typed. */
enum Theme {
    /** Dark or light, by the terminal's {@code COLORFGBG}; dark if it is not set. */
    AUTO,
    DARK,
    /** Without yellow, which is illegible on white. */
    LIGHT,
    NONE;

    static Theme of(String word) {
        for (Theme theme : values()) {
            if (theme.toString().equals(word)) {
                return theme;
            }
        }
        throw new IllegalArgumentException("'" + word + "' is not a theme (try auto, dark, light or none)");
    }

    /** The text as this theme shows what was coloured for a dark screen. */
    AttributedString of(AttributedString text, Map<String, String> environment) {
        return switch (this) {
            case DARK -> text;
            case NONE -> new AttributedString(text.toString());
            case LIGHT -> light(text);
            case AUTO -> isLight(environment.getOrDefault("COLORFGBG", "")) ? light(text) : text;
        };
    }

    private static boolean isLight(String colours) {
        String background = colours.substring(colours.lastIndexOf(';') + 1);
        return background.equals("7") || background.equals("15");
    }

    private static AttributedString light(AttributedString text) {
        var lighter = new AttributedStringBuilder();
        AttributedStyle yellow = AttributedStyle.DEFAULT.foreground(AttributedStyle.YELLOW);
        for (int i = 0; i < text.length(); i++) {
            boolean pale = text.styleAt(i).equals(yellow);
            lighter.styled(pale ? AttributedStyle.DEFAULT.foreground(AttributedStyle.MAGENTA) : text.styleAt(i),
                    text.substring(i, i + 1).toString());
        }
        return lighter.toAttributedString();
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
