package volsh.fuse.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.SynchronousQueue;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import volsh.fuse.Native;
import volsh.fuse.ProcessorAffinity;
import volsh.hang.Eventually;

/** A thread that keeps to the processor of another one. */
@Tag("mount")
class ClientFollowerTest {
    @Test
    void runsWhereTheOtherRuns() throws Exception {
        try (var arena = Arena.ofShared(); var other = new Parked(arena)) {
            String before = allowed("thread-self");
            var follower = new ClientFollower(new ProcessorAffinity(arena));
            for (int processor : processors(before)) {
                other.runOn(processor);
                for (int i = 0; i <= ClientFollower.AGAIN; i++) {
                    assertEquals(true, follower.follow(other.number));
                }
                assertEquals(String.valueOf(processor), allowed("thread-self"));
                assertEquals(true, follower.follow(0), "an unknown program changes nothing");
            }
            follower.close();
            assertEquals(before, allowed("thread-self"));
        }
    }

    @Test
    void threadsStartedMeanwhileRunAnywhere() throws Exception {
        try (var arena = Arena.ofShared(); var other = new Parked(arena)) {
            String before = allowed("thread-self");
            int processor = processors(before).getLast();
            other.runOn(processor);
            try (var follower = new ClientFollower(new ProcessorAffinity(arena))) {
                follower.follow(other.number);
                try (var heir = new Parked(arena)) {
                    assertEquals(String.valueOf(processor), allowed("self/task/" + heir.number), "inherited");
                    for (int i = 0; i < ClientFollower.AGAIN; i++) {
                        follower.follow(other.number);
                    }
                    assertEquals(before, allowed("self/task/" + heir.number));
                    assertEquals(String.valueOf(processor), allowed("thread-self"));
                }
                try (var last = new Parked(arena)) {
                    follower.release();
                    assertEquals(before, allowed("self/task/" + last.number));
                }
            }
        }
    }

    @Test
    void leavesAProcessorIfThereIsAnother() throws Exception {
        try (var arena = Arena.ofShared()) {
            String before = allowed("thread-self");
            var affinity = new ProcessorAffinity(arena);
            var all = processors(before);
            try {
                affinity.leave(all.getLast());
                var left = all.size() == 1 ? all : all.subList(0, all.size() - 1);
                assertEquals(left, processors(allowed("thread-self")));
            } finally {
                affinity.restore(0);
            }
            assertEquals(before, allowed("thread-self"));
        }
    }

    @Test
    void aThreadThatIsGoneIsNotFollowed() throws Exception {
        try (var arena = Arena.ofShared()) {
            String before = allowed("thread-self");
            int gone;
            try (var other = new Parked(arena)) {
                gone = other.number;
            }
            try (var follower = new ClientFollower(new ProcessorAffinity(arena))) {
                follower.follow(gone);
                assertEquals(before, allowed("thread-self"));
            }
        }
    }

    @Test
    void readsTheProcessorAfterAnyName() throws IOException {
        String fields = " S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 5 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 17 %d 0 0 0";
        assertEquals(3, ClientFollower.processor("42 (a) b (c)" + fields.formatted(3)));
        assertThrows(IOException.class, () -> ClientFollower.processor(""));
        assertThrows(IOException.class, () -> ClientFollower.processor("42 (sh) S 1"));
    }

    private static String allowed(String task) throws IOException {
        try (var lines = Files.lines(Path.of("/proc", task, "status"))) {
            return lines.filter(line -> line.startsWith("Cpus_allowed_list:")).findFirst().orElseThrow()
                    .substring("Cpus_allowed_list:".length()).strip();
        }
    }

    private static List<Integer> processors(String list) {
        var found = new ArrayList<Integer>();
        for (var range : list.split(",")) {
            var ends = range.split("-");
            for (int i = Integer.parseInt(ends[0]); i <= Integer.parseInt(ends[ends.length - 1]); i++) {
                found.add(i);
            }
        }
        return found.subList(0, Math.min(found.size(), 8));
    }

    /** A thread that waits, on a processor of its own. */
    private static final class Parked implements AutoCloseable {
        private final SynchronousQueue<Integer> wanted = new SynchronousQueue<>();
        private final SynchronousQueue<Integer> done = new SynchronousQueue<>();
        private final Thread thread;
        private int number;

        Parked(Arena arena) throws InterruptedException {
            var started = new CountDownLatch(1);
            thread = Thread.ofPlatform().daemon().start(() -> {
                number = new Native(arena).thread();
                started.countDown();
                try {
                    var affinity = new ProcessorAffinity(arena);
                    for (int processor = wanted.take(); ; processor = wanted.take()) {
                        affinity.pin(processor);
                        done.put(processor);
                    }
                } catch (InterruptedException ended) {
                    // the test is over
                }
            });
            started.await();
        }

        void runOn(int processor) throws InterruptedException {
            wanted.put(processor);
            done.take();
        }

        @Override
        public void close() {
            thread.interrupt();
            // a thread of Java has ended before that of the kernel
            Eventually.holds("the thread has ended", () -> !Files.exists(Path.of("/proc/self/task/" + number)));
        }
    }
}
