package volsh.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;
import volsh.engine.MetaUnavailableException;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.NoSpaceException;

/** What a client is told: full is not broken, and away is worth another try, however deep the reason is. */
final class VolumeFailuresTest {
    private static int status(Throwable cause) {
        return VolumeFailures.refusal(new IOException("a flush failed", new IOException("again", cause))).status();
    }

    @Test
    void theReasonIsFoundInTheCauses() {
        assertThat(status(new NoSpaceException("full", null))).isEqualTo(507);
        assertThat(status(new IOException("/x: No space left on device"))).isEqualTo(507);
        assertThat(status(new MetaUnavailableException("away", null))).isEqualTo(503);
        assertThat(status(new FsException(FsError.QUOTA))).isEqualTo(403);
        assertThat(status(new IOException("checksum mismatch"))).isEqualTo(500);
        assertThat(status(new IllegalStateException())).isEqualTo(500);
    }
}
