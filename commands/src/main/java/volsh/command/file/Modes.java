package volsh.command.file;

import volsh.command.failure.CommandFailure;
import volsh.fs.Attributes;

/** Permission bits as text. */
final class Modes {
    private static final String LETTERS = "rwxrwxrwx";

    private Modes() {}

    /** As {@code ls -l} shows kind and permissions: {@code drwxr-xr-t}. */
    static String text(Attributes file) {
        var text = new StringBuilder().append(file.kind().letter());
        for (int i = 0; i < LETTERS.length(); i++) {
            text.append((file.mode() >> 8 - i & 1) == 1 ? LETTERS.charAt(i) : '-');
        }
        special(text, 3, file.mode() & 04000, 's');
        special(text, 6, file.mode() & 02000, 's');
        special(text, 9, file.mode() & 01000, 't');
        return text.toString();
    }

    private static void special(StringBuilder text, int at, int bit, char letter) {
        if (bit != 0) {
            text.setCharAt(at, text.charAt(at) == 'x' ? letter : Character.toUpperCase(letter));
        }
    }

    /** Four octal digits. */
    static String octal(int mode) {
        return "%04o".formatted(mode);
    }

    /** Reads octal digits. */
    static int of(String text) {
        if (!text.matches("[0-7]{1,4}")) {
            throw CommandFailure.usage("'" + text + "' is not an octal mode (try 0755)");
        }
        return Integer.parseInt(text, 8);
    }
}
