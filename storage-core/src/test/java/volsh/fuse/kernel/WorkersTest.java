package volsh.fuse.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import volsh.fuse.MountOptions;
import volsh.fuse.Native;
import volsh.fuse.OperationStats;
import volsh.fuse.Policies;
import volsh.hang.Eventually;

/** The threads of a mount at its end. */
@Tag("mount")
@Tag("data")
class WorkersTest {
    /** When a mount ends, its descriptor becomes one of /dev/null, which has nothing to read but no error either. */
    @Test
    void nothingIsNotTheRequestBeforeOnceMore() throws Exception {
        var answered = new AtomicInteger();
        try (var arena = Arena.ofShared()) {
            var calls = new Native(arena);
            calls.wakeable();
            int descriptor = calls.open("/dev/null", Native.O_RDWR | Native.O_CLOEXEC);
            var workers = new Workers(descriptor, new Counting(answered), MountOptions.at(Path.of("/nowhere"), "test"),
                    new OperationStats(Opcode.names()));
            workers.start();
            Eventually.holds("the connection is over", workers::isDisconnected);
            assertTrue(workers.stop(Duration.ofSeconds(30)));
            calls.close(descriptor);
        }
        assertEquals(0, answered.get());
    }

    private record Counting(AtomicInteger answered) implements RequestHandler {
        @Override
        public boolean answer(Request in, Reply reply) {
            answered.incrementAndGet();
            return false;
        }

        @Override
        public void undelivered(Reply reply) {}

        @Override
        public String words(Request in, Throwable failed) {
            return "";
        }

        @Override
        public AnnouncedEntries told() {
            return new AnnouncedEntries();
        }

        @Override
        public Policies policies() {
            return null;
        }
    }
}
