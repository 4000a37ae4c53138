package volsh.fuse.jnr;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import volsh.engine.RequestClock;
import volsh.fuse.Errno;
import volsh.fuse.OperationStats;

/** What libfuse asks has one deadline, however often the metadata is asked for it, as a request of the kernel has. */
@Tag("mount")
final class AnswersTest {
    private static final long NONE = Long.MIN_VALUE;

    private final Answers answers = new Answers(new OperationStats(Operation.names()));

    @Test
    void aRequestHasOneDeadline() {
        long before = System.nanoTime();
        long[] began = new long[2];
        int result = answers.of(Operation.READDIR, failed -> "/d", () -> {
            began[0] = RequestClock.beganOr(NONE);
            began[1] = RequestClock.beganOr(NONE);
            return 5;
        });
        assertThat(result).isEqualTo(5);
        assertThat(began[0]).as("what the request has waited for counts").isNotEqualTo(NONE).isEqualTo(began[1]);
        assertThat(began[0] - before).isNotNegative();
        assertThat(RequestClock.beganOr(NONE)).as("the thread goes on to other things").isEqualTo(NONE);
    }

    @Test
    void aFailedRequestEndsItsTimeToo() {
        int result = answers.done(Operation.MKDIR, failed -> "/d", () -> {
            throw new IOException("the database is silent");
        });
        assertThat(result).isEqualTo(-Errno.EIO);
        assertThat(RequestClock.beganOr(NONE)).isEqualTo(NONE);
    }
}
