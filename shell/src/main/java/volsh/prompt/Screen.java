package volsh.prompt;

import java.io.ByteArrayOutputStream;
import java.io.IOError;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jline.reader.LineReader;
import org.jspecify.annotations.Nullable;
import volsh.command.line.Outlet;

/**
 * The terminal that all output shares. A foreground command writes directly; while a line is being typed, output
 * appears above it in whole lines; while another program has the screen, output waits. Thread-safe.
 */
final class Screen implements Outlet {
    private final Stream data;
    private final Stream messages;
    private final List<String> held = new ArrayList<>();
    private volatile @Nullable LineReader reader;   // null before the first line is typed
    private volatile Transcript transcript = Transcript.NONE;
    private volatile Runnable before = () -> { };
    private volatile Consumer<Boolean> lending = _ -> { };
    private boolean lent;
    private volatile boolean drawn;

    Screen(OutputStream data, OutputStream messages) {
        this.data = new Stream(data);
        this.messages = new Stream(messages);
    }

    /** For what runs in the foreground. */
    OutputStream data() {
        return data;
    }

    OutputStream messages() {
        return messages;
    }

    /** From now on lines are typed here; {@code before} is run before one is drawn again. */
    void reader(LineReader given, Runnable refresh) {
        reader = given;
        before = refresh;
    }

    void transcript(Transcript given) {
        transcript = given;
    }

    Transcript transcript() {
        return transcript;
    }

    @Override
    public void write(byte[] lines, boolean error) {
        transcript.output(lines, 0, lines.length);
        above(new String(lines, StandardCharsets.UTF_8));
    }

    @Override
    public void tell(String message) {
        byte[] line = (message + "\n").getBytes(StandardCharsets.UTF_8);
        write(line, true);
    }

    /** Not under our lock: the editor has one too, and asks for ours while it holds its own. */
    private void above(String text) {
        if (isHeld(text)) {
            return;
        }
        try {
            before.run();
            var typing = Objects.requireNonNull(reader);
            typing.printAbove(drawn && !typing.isReading() ? "\r\u001b[K" + text : text);
        } catch (RuntimeException | IOError notYetOrNoMore) {   // there is no line to tear
            messages.raw(text.getBytes(StandardCharsets.UTF_8));
        }
    }

    private synchronized boolean isHeld(String text) {
        return lent && held.add(text);
    }

    /** Calls {@code listener} when another program takes the screen, and when it returns it. */
    void onLending(Consumer<Boolean> listener) {
        lending = listener;
    }

    /** Lends the screen to another program; all other output waits until it returns the screen. */
    void lend() {
        synchronized (this) {
            lent = true;
        }
        lending.accept(true);
    }

    void takeBack() {
        lending.accept(false);
        List<String> late;
        synchronized (this) {
            lent = false;
            late = List.copyOf(held);
            held.clear();
        }
        late.forEach(this::above);
    }

    /** A standard stream of the process. */
    private final class Stream extends OutputStream {
        private final OutputStream target;
        private final ByteArrayOutputStream rest = new ByteArrayOutputStream();

        Stream(OutputStream target) {
            this.target = target;
        }

        @Override
        public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            transcript.output(bytes, offset, length);
            if (reader != null && reader.isReading()) {
                late(bytes, offset, length);
            } else {
                synchronized (Screen.this) {
                    drawn = length > 0 && bytes[offset] == '\r' && bytes[offset + length - 1] != '\n';
                    target.write(bytes, offset, length);
                }
            }
        }

        /** Writes while a line is being typed, from threads that code started. */
        private synchronized void late(byte[] bytes, int offset, int length) {
            rest.write(bytes, offset, length);
            String text = rest.toString(StandardCharsets.UTF_8);
            int end = text.lastIndexOf('\n') + 1;
            if (end > 0) {
                rest.reset();
                rest.writeBytes(text.substring(end).getBytes(StandardCharsets.UTF_8));
                above(text.substring(0, end));
            }
        }

        @Override
        public void flush() throws IOException {
            target.flush();
        }

        private void raw(byte[] bytes) {
            try {
                target.write(bytes);
            } catch (IOException nobodyListens) {
                // the terminal is gone, and there is no other place to report it
            }
        }
    }
}
