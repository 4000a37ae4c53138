package volsh.prompt;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import volsh.command.console.Attendance;

/**
 * Standard input between two typed lines, for the answers to questions. Unlike a read of the terminal, the wait can be
 * interrupted, so that a cancelled question does not take the keys of the next reader. For a job in the background it
 * is at its end: the keys are for the line that is typed.
 */
final class Keyboard extends InputStream {
    private static final long LOOK_MILLIS = 20;

    private final InputStream terminal;

    Keyboard(InputStream terminal) {
        this.terminal = terminal;
    }

    @Override
    public int read() throws IOException {
        return await() ? terminal.read() : -1;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        return await() ? terminal.read(target, offset, Math.min(length, terminal.available())) : -1;
    }

    @Override
    public int available() throws IOException {
        return Attendance.isThere() ? terminal.available() : 0;
    }

    /** Whether there is something to read; false at the end. */
    private boolean await() throws IOException {
        try {
            while (Attendance.isThere()) {
                if (terminal.available() > 0) {
                    return true;
                }
                Thread.sleep(LOOK_MILLIS);
            }
            return false;
        } catch (InterruptedException nobodyWaits) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("the wait for an answer was interrupted");
        }
    }
}
