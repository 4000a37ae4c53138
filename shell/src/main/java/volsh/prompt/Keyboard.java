package volsh.prompt;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;

/**
 * Standard input between two typed lines, for the answers to questions. Unlike a read of the terminal, the wait can be
 * interrupted, so that a cancelled question does not take the keys of the next reader.
 */
final class Keyboard extends InputStream {
    private static final long LOOK_MILLIS = 20;

    private final InputStream terminal;

    Keyboard(InputStream terminal) {
        this.terminal = terminal;
    }

    @Override
    public int read() throws IOException {
        await();
        return terminal.read();
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        await();
        return terminal.read(target, offset, Math.min(length, terminal.available()));
    }

    private void await() throws IOException {
        try {
            while (terminal.available() == 0) {
                Thread.sleep(LOOK_MILLIS);
            }
        } catch (InterruptedException nobodyWaits) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("the wait for an answer was interrupted");
        }
    }
}
