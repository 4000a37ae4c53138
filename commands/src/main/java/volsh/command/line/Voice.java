package volsh.command.line;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * One stream of a job. In the foreground it passes everything on. In the background it passes whole lines to the
 * {@link Outlet} and keeps text that is redrawn in place, such as a progress.
 */
final class Voice extends OutputStream {
    private static final int LONGEST = 64 << 10;
    private static final String CLEAR = "\u001b[K";

    private final Outlet outlet;
    private final boolean error;
    private final ByteArrayOutputStream rest = new ByteArrayOutputStream();
    private @Nullable OutputStream foreground;

    Voice(Outlet outlet, boolean error) {
        this.outlet = outlet;
        this.error = error;
    }

    /** From now on everything goes to {@code target}; {@code null}: whole lines to the outlet. */
    synchronized void goTo(@Nullable OutputStream target) throws IOException {
        if (target != null && rest.size() > 0) {
            target.write(rest.toByteArray());
            rest.reset();
        }
        foreground = target;
    }

    @Override
    public void write(int b) throws IOException {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public synchronized void write(byte[] bytes, int offset, int length) throws IOException {
        if (foreground != null) {
            foreground.write(bytes, offset, length);
            return;
        }
        int end = offset + length;
        while (end > offset && bytes[end - 1] != '\n') {
            end--;
        }
        if (end > offset) {
            rest.write(bytes, offset, end - offset);
            say();
        }
        rest.write(bytes, end, offset + length - end);
        if (rest.size() > LONGEST) {
            say();
        }
    }

    private void say() {
        outlet.write(error ? settled(rest.toString(StandardCharsets.UTF_8)).getBytes(StandardCharsets.UTF_8)
                : rest.toByteArray(), error);
        rest.reset();
    }

    @Override
    public synchronized void flush() throws IOException {
        if (foreground != null) {
            foreground.flush();
        }
    }

    /** What stands in an unfinished line, as a terminal would show it. */
    synchronized String unfinished() {
        return settled(rest.toString(StandardCharsets.UTF_8));
    }

    /** The last word: a line without an end gets one. */
    synchronized void end() {
        if (rest.size() > 0 && !unfinished().isBlank()) {
            rest.write('\n');
            say();
        }
        rest.reset();
    }

    /** Of lines that were drawn several times only what was drawn last. */
    private static String settled(String text) {
        var lines = new StringBuilder();
        for (String line : text.split("(?<=\n)")) {
            int end = line.endsWith("\r\n") ? line.length() - 2 : line.length();
            lines.append(line.substring(line.lastIndexOf('\r', end - 1) + 1));
        }
        return lines.toString().replace(CLEAR, "");
    }
}
