package volsh.command;

import java.nio.file.Files;
import java.nio.file.Path;

/** A name for a file beside one that is there already: a hint replaces nothing. */
public final class FreeName {
    private FreeName() {}

    /** {@code report-2.html} for {@code report.html}, or the next number that is free. */
    public static Path beside(Path taken) {
        String name = String.valueOf(taken.getFileName());
        int dot = name.lastIndexOf('.');
        String stem = dot > 0 ? name.substring(0, dot) : name;
        String ending = dot > 0 ? name.substring(dot) : "";
        int number = 2;
        Path free = taken.resolveSibling(stem + "-" + number + ending);
        while (Files.exists(free)) {
            free = taken.resolveSibling(stem + "-" + ++number + ending);
        }
        return free;
    }
}
