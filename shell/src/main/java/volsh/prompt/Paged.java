package volsh.prompt;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import org.jspecify.annotations.Nullable;
import volsh.command.console.BrokenPipeException;

/**
 * Decides about an output while it comes: when it grows beyond the screen at once, a pager gets it; when it ends before
 * that, or is still coming after a moment, it is simply shown.
 */
final class Paged extends OutputStream {
    private static final long MOMENT_MILLIS = 400;

    private final OutputStream screen;
    private final int rows;
    private final Start start;
    private final ByteArrayOutputStream first = new ByteArrayOutputStream();
    private @Nullable OutputStream target;
    private @Nullable Reader reader;
    private int seen;

    interface Start {
        Reader pager() throws IOException;
    }

    Paged(OutputStream screen, int rows, Start start) {
        this.screen = screen;
        this.rows = rows;
        this.start = start;
        Thread.ofVirtual().name("pager").start(() -> {
            try {
                Thread.sleep(MOMENT_MILLIS);
                settle();
            } catch (InterruptedException | IOException never) {
                Thread.currentThread().interrupt();
            }
        });
    }

    @Override
    public void write(int b) throws IOException {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public synchronized void write(byte[] bytes, int offset, int length) throws IOException {
        if (target != null) {
            target.write(bytes, offset, length);
            return;
        }
        first.write(bytes, offset, length);
        for (int i = offset; i < offset + length; i++) {
            seen += bytes[i] == '\n' ? 1 : 0;
        }
        if (seen > rows) {
            var pager = start.pager();
            reader = pager;
            target = pager;
            pager.write(first.toByteArray());
        }
    }

    /** Shows the output from now on. */
    private synchronized void settle() throws IOException {
        if (target == null) {
            target = screen;
            target.write(first.toByteArray());
            target.flush();
        }
    }

    @Override
    public synchronized void flush() throws IOException {
        if (target != null) {
            target.flush();
        }
    }

    @Override
    public void close() throws IOException {
        settle();
        if (reader != null) {
            reader.close();
        }
    }

    /** The pager: it has the screen until the person leaves it. */
    static final class Reader extends OutputStream {
        private final Process process;
        private final Screen screen;

        Reader(Process process, Screen screen) {
            this.process = process;
            this.screen = screen;
        }

        @Override
        public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
        }

        /** Quitting the pager is a broken pipe for the command. */
        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            screen.transcript().output(bytes, offset, length);
            try {
                process.getOutputStream().write(bytes, offset, length);
            } catch (IOException left) {
                throw new BrokenPipeException(left);
            }
        }

        @Override
        public void flush() throws IOException {
            try {
                process.getOutputStream().flush();
            } catch (IOException left) {
                throw new BrokenPipeException(left);
            }
        }

        @Override
        public void close() {
            try (var _ = process.getOutputStream()) {
                process.getOutputStream().flush();
            } catch (IOException left) {
                // the user quit it
            }
            try {
                process.waitFor();
            } catch (InterruptedException stopped) {
                process.destroy();
                Thread.currentThread().interrupt();
            } finally {
                screen.takeBack();
            }
        }
    }
}
