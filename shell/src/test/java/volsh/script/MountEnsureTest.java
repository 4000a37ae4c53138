package volsh.script;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import volsh.fuse.HomeProcesses;

/** Many prologues mount the same at once: there is one mount, and everybody is told that it is there. */
@Timeout(600)
final class MountEnsureTest {
    private static final int CALLERS = 50;

    @TempDir
    Path directory;

    @Test
    void fiftyAtOnceMakeOneMount() throws Exception {
        assumeTrue(Files.isWritable(Path.of("/dev/fuse")) && "root".equals(System.getProperty("user.name")),
                "needs root and /dev/fuse");
        var workshop = new Workshop(directory);
        assertThat(workshop.run("volume", "create", "shared", "-q").status()).isZero();
        Path place = Files.createDirectory(directory.resolve("mnt"));
        try {
            var ended = new ArrayList<Workshop.Ended>();
            var together = new CyclicBarrier(CALLERS);
            try (var pool = Executors.newFixedThreadPool(CALLERS)) {
                var running = new ArrayList<Future<Workshop.Ended>>();
                for (int i = 0; i < CALLERS; i++) {
                    running.add(pool.submit(() -> {
                        together.await();
                        return workshop.run("mount", "shared", place.toString(), "--ensure", "--wait-ready", "5m", "-o",
                                "value:pid");
                    }));
                }
                for (var caller : running) {
                    ended.add(caller.get());
                }
            }
            assertThat(ended).hasSize(CALLERS).allSatisfy(one -> assertThat(one.status()).as(one.err()).isZero());
            assertThat(ended.stream().map(Workshop.Ended::out).distinct()).as("one process serves them all").hasSize(1);
            assertThat(ended.stream().filter(one -> one.err().startsWith("unchanged")))
                    .as("all but the one who made it").hasSize(CALLERS - 1);
            var unmounted = workshop.run("umount", place.toString());
            assertThat(unmounted.status()).as(unmounted.err()).isZero();
            assertThat(workshop.run("run", "-c", "mounts list | count").out()).isEqualTo("0\n");
        } finally {
            workshop.run("umount", "--all", "--lazy");
            HomeProcesses.awaitEnd(directory);
        }
    }
}
