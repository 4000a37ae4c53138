package volsh.prompt;

import java.util.regex.Pattern;

/** Finds what must not be stored: lines that mention a secret, and secrets in output. */
final class Secrets {
    private static final String KEY = "AKIA[0-9A-Z]{4,}";
    private static final Pattern SPOKEN = Pattern.compile("(?i)secret|passw(or)?d|token|credential|" + KEY);
    private static final Pattern VALUE = Pattern.compile(
            "(?i)((?:secret|passw(?:or)?d|token|credential)[\\w.-]*[\"']?\\s*[=:]\\s*)(\"[^\"]*\"|'[^']*'|\\S+)");

    private Secrets() {}

    /** Whether the line must not be stored: it names a secret, or begins with a blank. */
    static boolean in(String line) {
        return line.startsWith(" ") || SPOKEN.matcher(line).find();
    }

    /** The text without the values of secrets. */
    static String hidden(String text) {
        return VALUE.matcher(text).replaceAll("$1***").replaceAll(KEY, "***");
    }
}
