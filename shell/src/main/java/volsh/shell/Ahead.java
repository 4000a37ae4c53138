package volsh.shell;

import java.util.List;
import volsh.volume.Volumes;

/**
 * Preloads classes and tables that the command needs, while the command line is parsed: saves 15 ms of 140. A failure
 * here is ignored; it occurs again, and is reported, where the class is needed.
 */
final class Ahead {
    private static final int WORDS = 10;
    private static final String COMPLETION = "__complete";   // reads names from a cache

    private Ahead() {}

    static void begin(List<String> words) {
        Thread.ofPlatform().daemon().name("ahead").start(() -> {
            try {
                Class.forName("java.math.BigDecimal");   // fills tables for 10 ms when the first JSON is read
                if (!words.contains(COMPLETION) && words.stream().limit(WORDS).anyMatch(Ahead::isInAVolume)) {
                    Volumes.ahead();
                }
            } catch (ClassNotFoundException | RuntimeException | LinkageError notNow) {
                // reported where it is needed
            }
        });
    }

    /** {@code VOLUME:/path}, and neither an option nor a URL. */
    static boolean isInAVolume(String word) {
        int colon = word.indexOf(':');
        return colon > 0 && word.lastIndexOf('/', colon) < 0 && !word.startsWith("-")
                && !word.startsWith("//", colon + 1);
    }
}
