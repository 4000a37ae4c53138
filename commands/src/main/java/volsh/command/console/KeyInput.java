package volsh.command.console;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Consumer;
import volsh.command.Session;

/**
 * Single keys for a command that fills the screen. While it is open, the terminal neither shows what is typed nor waits
 * for Enter; Ctrl-C and Ctrl-Z work as always. Without a terminal there are no keys.
 */
public final class KeyInput implements AutoCloseable {
    private static final long LOOK_MILLIS = 30;
    private static final File TERMINAL = new File("/dev/tty");

    private final InputStream in;
    private final Consumer<Key> listener;
    private final String modes;
    private volatile boolean closed;

    /** A key that commands know. */
    public enum Key { QUIT, UP, DOWN, LEFT, RIGHT, OTHER }

    private KeyInput(InputStream in, Consumer<Key> listener, String modes) {
        this.in = in;
        this.listener = listener;
        this.modes = modes;
    }

    /** Passes keys to {@code listener}, on a thread of its own, until it is closed. */
    public static KeyInput listen(Session session, Consumer<Key> listener) {
        boolean there = session.terminal().input() && Attendance.isThere();
        String modes = there ? stty(List.of("stty", "-g")) : "";
        var keys = new KeyInput(session.in(), listener, modes);
        if (!modes.isEmpty()) {
            stty(List.of("stty", "-icanon", "-echo", "min", "1", "time", "0"));
            Thread.ofPlatform().daemon().name("keys").start(keys::read);
        }
        return keys;
    }

    private void read() {
        try {
            while (!closed) {
                if (in.available() == 0) {
                    Thread.sleep(LOOK_MILLIS);
                } else {
                    listener.accept(key());
                }
            }
        } catch (IOException | InterruptedException over) {
            // the terminal is gone: without keys the command goes on
        }
    }

    private Key key() throws IOException {
        int first = in.read();
        if (first != '\u001b' || in.available() == 0) {
            return first == 'q' || first == 'Q' ? Key.QUIT : Key.OTHER;
        }
        int second = in.read();
        boolean arrow = (second == '[' || second == 'O') && in.available() > 0;
        return switch (arrow ? in.read() : 0) {
            case 'A' -> Key.UP;
            case 'B' -> Key.DOWN;
            case 'C' -> Key.RIGHT;
            case 'D' -> Key.LEFT;
            default -> Key.OTHER;
        };
    }

    /** Gives the keyboard back as it was. */
    @Override
    public void close() {
        closed = true;
        if (!modes.isEmpty()) {
            stty(List.of("stty", modes));
        }
    }

    /** What stty says; empty if there is no terminal, or no stty. */
    private static String stty(List<String> words) {
        boolean interrupted = Thread.interrupted();   // the modes are restored all the same
        try {
            var stty = new ProcessBuilder(words).redirectInput(TERMINAL)
                    .redirectError(ProcessBuilder.Redirect.DISCARD).start();
            String said = new String(stty.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).strip();
            return stty.waitFor() == 0 ? said : "";
        } catch (IOException none) {
            return "";
        } catch (InterruptedException stopped) {
            interrupted = true;
            return "";
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
