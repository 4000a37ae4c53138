package volsh.prompt;

import java.util.Optional;
import volsh.catalog.VolumePath;
import volsh.command.context.Context;
import volsh.command.render.DisplayWidth;
import volsh.command.render.Printable;

/** The prompt itself: the name of the home, in red if it is protected, and the working directory. */
final class LeftPrompt {
    private static final int LEAST = 12;

    private LeftPrompt() {}

    /** The directory takes a third of the screen at most: its end and its volume stay. */
    static String text(Optional<Context> context, Optional<VolumePath> directory, int width, boolean colour) {
        var text = new StringBuilder("volsh");
        context.ifPresent(home -> text.append(' ').append(colour && home.isProtected()
                ? "\u001b[1;31m" + home.name() + "\u001b[0m" : home.name()));
        directory.ifPresent(path -> {
            String shown = shortened(path, Math.max(LEAST, width / 3));
            text.append(' ').append(colour ? "\u001b[34m" + shown + "\u001b[0m" : shown);
        });
        return text.append("> ").toString();
    }

    private static String shortened(VolumePath path, int most) {
        String whole = Printable.of(path.toString());
        if (DisplayWidth.of(whole) <= most) {
            return whole;
        }
        String volume = path.source() + ":";
        String end = Printable.of(path.path());
        int room = most - DisplayWidth.of(volume) - 1;
        int slash = end.indexOf('/', 1);
        while (slash > 0 && DisplayWidth.of(end.substring(slash)) > room) {
            slash = end.indexOf('/', slash + 1);
        }
        return slash > 0 ? volume + "…" + end.substring(slash) : DisplayWidth.head(whole, most);
    }
}
