package volsh.command.mount;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import volsh.catalog.Access;
import volsh.command.tree.Scratch;
import volsh.postgrestest.LosingProxy;
import volsh.postgrestest.PostgresServer;

/**
 * A mount that was cut off from its database for so long that others ended its session: what programs on it see, and
 * what it says of itself.
 */
@Timeout(150)
final class FencedMountTest {
    @TempDir
    Path directory;
    private Scratch here;
    private Scratch there;
    private String name;

    /** As others do after a minute and a half of silence. */
    private void fence() throws IOException {
        try (var control = there.volumes().sessionControl(name)) {
            for (var open : control.list()) {
                control.fence(open.session().id(), true);
            }
        }
    }

    private void overwriteThere(String path, String text) throws IOException {
        try (var volume = there.volumes().open(name, Access.WRITE, "test");
                var file = volume.vfs().open(volume.paths().resolve(path).ino())) {
            file.write(0, ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
        }
    }

    @Test
    void itComesBackAndEveryProgramHearsTheTruth() throws Exception {
        here = new Scratch(directory.resolve("here"));
        there = new Scratch(directory.resolve("there"));
        name = PostgresServer.freshName();
        var point = directory.resolve("mnt");
        try (var way = new LosingProxy(PostgresServer.shared().port())) {
            here.ok("store add lake " + directory.resolve("lake").toUri());
            here.ok("volume create %s --meta %s --store lake".formatted(name, PostgresServer.url(way.port())));
            there.ok("volume attach '%s#%s'".formatted(PostgresServer.shared().url(), name));
            try (var served = ServedVolume.here(here, name, point, ""); var program = Python.in(point)) {
                unwrittenBytes(served, program, way);
                locks(served, program);
            }
        }
        assertThat(there.ok("cat %s:/mine".formatted(name)).out()).isEqualTo("first more");
        assertThat(there.ok("volume check %s --deep".formatted(name)).out()).doesNotContain("damaged");
    }

    private void unwrittenBytes(ServedVolume served, Python program, LosingProxy way) throws Exception {
        for (var file : new String[] {"mine", "theirs"}) {
            assertThat(program.does(("%1$s = os.open('%1$s', os.O_RDWR | os.O_CREAT); os.write(%1$s, b'first'); "
                    + "os.fsync(%1$s); os.write(%1$s, b' more')").formatted(file))).isEqualTo("ok");
        }
        way.lose(LosingProxy.Loss.REQUEST);   // and nobody gets through again
        way.refuse(true);
        fence();
        overwriteThere("/theirs", "their");
        way.refuse(false);
        assertThat(program.does("os.mkdir('refused')")).as("unless the mount has noticed by itself")
                .isIn("ESTALE", "ok");
        served.says("events", 0, "reconnected as session", "fenced: unwritten data was dropped", "/theirs (5B");
        served.says("status -o csv --columns kind,health", 0, "mount,ok");
        assertThat(program.does("os.fsync(mine)")).isEqualTo("ok");
        assertThat(program.does("os.write(theirs, b'again'); os.fsync(theirs)")).isEqualTo("ESTALE");
        assertThat(program.does("os.close(theirs)")).isEqualTo("ESTALE");
        assertThat(program.does("os.mkdir('made')")).isEqualTo("ok");
        assertThat(served.sh("cat theirs").said()).as("the kernel has forgotten what was dropped").isEqualTo("their");
        assertThat(here.run("events").out()).doesNotContain("/mine");
    }

    private void locks(ServedVolume served, Python program) throws Exception {
        assertThat(program.does("lock = os.open('lock', os.O_RDWR | os.O_CREAT); fcntl.flock(lock, fcntl.LOCK_EX)"))
                .isEqualTo("ok");
        fence();
        assertThat(program.does("os.mkdir('under-the-lock')")).isEqualTo("ESTALE");
        served.says("status -o json", 4, "its session was ended because its lease expired",
                "the session comes back when processes here release locks", "volsh umount " + served.mountPoint());
        served.says("mounts list -o value:state", 0, "fenced");
        assertThat(program.does("os.mkdir('under-the-lock')")).as("still").isEqualTo("ESTALE");
        assertThat(program.does("fcntl.flock(lock, fcntl.LOCK_UN)")).as("it was not alone").isEqualTo("ESTALE");
        served.says("status -o csv --columns kind,health", 0, "mount,ok");
        assertThat(program.does("fcntl.flock(lock, fcntl.LOCK_EX); os.mkdir('under-the-lock')")).isEqualTo("ok");
    }
}
