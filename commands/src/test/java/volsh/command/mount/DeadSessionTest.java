package volsh.command.mount;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Instant;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import volsh.command.tree.Scratch;
import volsh.postgrestest.PostgresServer;

/**
 * The process of a mount is killed: its session is dead at once for those on the same machine, also where machines
 * share the volume, and its locks are free.
 */
@Timeout(150)
final class DeadSessionTest {
    @TempDir
    Path directory;

    @Test
    void locksOfAKilledMountAreFreeBeforeItsLeaseEnds() throws Exception {
        var scratch = new Scratch(directory.resolve("home"));
        var name = PostgresServer.freshName();
        scratch.ok("store add s1 file://" + directory.resolve("store"));
        scratch.ok("volume create %s --store s1 --meta %s".formatted(name, PostgresServer.shared().url()));
        try (var living = ServedVolume.here(scratch, name, directory.resolve("living"), "");
                var waiting = Python.in(living.mountPoint())) {
            try (var killed = new ServedVolume(scratch, name, directory.resolve("killed"), "");
                    var holding = Python.in(killed.mountPoint())) {
                assertThat(holding.does("f = os.open('f', os.O_RDWR | os.O_CREAT); fcntl.flock(f, fcntl.LOCK_EX)"))
                        .isEqualTo("ok");
                assertThat(waiting.does("f = os.open('f', os.O_RDWR); fcntl.flock(f, fcntl.LOCK_EX | fcntl.LOCK_NB)"))
                        .isEqualTo("EAGAIN");
                killed.child().kill();
                killed.child().exitCode();
                var sessions = scratch.run("volume sessions %s -o csv --columns purpose,state,lease".formatted(name))
                        .out();
                assertThat(sessions).contains("mount %s,alive,".formatted(living.mountPoint()))
                        .contains("mount %s,dead,".formatted(killed.mountPoint()));
                assertThat(lease(sessions, killed.mountPoint())).as("what was not waited for")
                        .isAfter(Instant.now().minusSeconds(600));
                assertThat(waiting.does("fcntl.flock(f, fcntl.LOCK_EX | fcntl.LOCK_NB)")).isEqualTo("ok");
                assertThat(scratch.run("volume sessions " + name).out()).doesNotContain(killed.mountPoint().toString());
            }
        }
        try (var killed = new ServedVolume(scratch, name, directory.resolve("again"), "")) {
            killed.child().kill();
            killed.child().exitCode();
        }
        var destroyed = scratch.run("volume destroy %s --confirm %s".formatted(name, name));
        assertThat(destroyed.status()).as(destroyed.err()).isZero();
    }

    private static Instant lease(String sessions, Path mountPoint) {
        var found = Pattern.compile(Pattern.quote("mount " + mountPoint) + ",dead,(\\S+)").matcher(sessions);
        assertThat(found.find()).as(sessions).isTrue();
        return Instant.parse(found.group(1));
    }
}
