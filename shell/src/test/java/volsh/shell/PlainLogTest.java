package volsh.shell;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.Test;

final class PlainLogTest {
    private static String line(Level level, String message, Exception thrown) {
        var logged = new LogRecord(level, message);
        logged.setThrown(thrown);
        return new PlainLog.Lines().format(logged);
    }

    @Test
    void aLineSaysWhatAndWhy() {
        assertThat(line(Level.WARNING, "block 7 is kept", null)).isEqualTo("warning: block 7 is kept\n");
        assertThat(line(Level.SEVERE, "block 7 cannot be stored", new IOException("disk full")))
                .isEqualTo("error: block 7 cannot be stored: disk full\n");
        assertThat(line(Level.INFO, "3 blocks", new IOException())).isEqualTo("note: 3 blocks: java.io.IOException\n");
        assertThat(line(Level.WARNING, "a\u001b[2Jb\nc", null)).isEqualTo("warning: a\\x1b[2Jb\\nc\n");
    }
}
