package volsh.command.console;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * Finds out about this process's terminal without native calls and without a terminal library: the links in
 * {@code /proc/self/fd} say what the standard streams are, and {@code stty} knows the size.
 */
public final class ProcessTerminal {
    private static final long PATIENCE_MILLIS = 500;

    private ProcessTerminal() {}

    public static Terminal detect() {
        return new Terminal(isTerminal(0), isTerminal(1), isTerminal(2), ProcessTerminal::columns);
    }

    private static boolean isTerminal(int descriptor) {
        try {
            String target = Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor)).toString();
            return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty") || target.equals("/dev/console");
        } catch (IOException | UnsupportedOperationException noProc) {
            var console = System.console();
            return console != null && console.isTerminal();
        }
    }

    private static int columns() {
        String size = size();
        return number(size.substring(size.indexOf(' ') + 1));
    }

    static int rows() {
        String size = size();
        return number(size.substring(0, Math.max(0, size.indexOf(' '))));
    }

    private static int number(String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException unknown) {
            return 0;
        }
    }

    /** Rows and columns, as stty says them; empty if it does not. */
    private static String size() {
        try {
            var stty = new ProcessBuilder("stty", "size").redirectInput(new File("/dev/tty"))
                    .redirectError(ProcessBuilder.Redirect.DISCARD).start();
            if (!stty.waitFor(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)) {
                stty.destroyForcibly();
                return "";
            }
            return new String(stty.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).strip();
        } catch (IOException unknown) {
            return "";
        } catch (InterruptedException cancelled) {
            Thread.currentThread().interrupt();
            return "";
        }
    }
}
