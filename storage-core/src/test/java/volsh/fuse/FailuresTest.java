package volsh.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import volsh.block.UnavailableException;
import volsh.fs.FsError;
import volsh.fs.FsException;

/** What a program is told of a failure that comes from below. */
final class FailuresTest {
    private static final int EINTR = 4;
    private static final int EIO = 5;
    private static final int ENOSPC = 28;
    private static final int EDQUOT = 122;
    private static final Logger LOG = Logger.getLogger("volsh.fuse");

    @BeforeEach
    void quiet() {
        LOG.setLevel(Level.OFF);
    }

    @AfterEach
    void loud() {
        LOG.setLevel(null);
    }

    private static int errno(Throwable failed) {
        return Failures.errno(failed, () -> "a request");
    }

    private static IOException silence() {
        return new UnavailableException("gave up", new IOException("failed to put", new SocketTimeoutException("no byte came or went")));
    }

    /** A timeout is an interruption to Java, and EINTR to a program means: try again. It would, for ever. */
    @Test
    void aSilentStoreIsAnError() {
        assertThat(errno(silence())).isEqualTo(EIO);
        assertThat(errno(new SocketTimeoutException("connect timed out"))).isEqualTo(EIO);
    }

    @Test
    void whoWasInterruptedIsToldSo() {
        assertThat(errno(new IOException(new InterruptedIOException("interrupted while waiting")))).isEqualTo(EINTR);
    }

    @Test
    void aFullDiskIsNoSpace() {
        assertThat(errno(new IOException("No space left on device"))).isEqualTo(ENOSPC);
        assertThat(errno(new UnavailableException("No space left in the journal, and it gave up", silence()))).isEqualTo(ENOSPC);
        assertThat(errno(new IOException(new FsException(FsError.QUOTA)))).isEqualTo(EDQUOT);
    }
}
