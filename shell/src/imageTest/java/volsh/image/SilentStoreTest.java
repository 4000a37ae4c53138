package volsh.image;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import volsh.hang.Eventually;

/** A store that hangs for an hour, with a change that is not shipped yet and no mount. */
final class SilentStoreTest {
    @TempDir
    Path directory;

    private Process put;

    private Scratch machine() {
        return new Scratch(directory.resolve("home"));
    }

    @AfterEach
    void end() throws InterruptedException {
        if (put != null) {
            put.destroyForcibly().waitFor(30, TimeUnit.SECONDS);
        }
    }

    @Test
    @Timeout(300)
    void isNotWaitedForLongerThanAsked() throws Exception {
        machine().ok("store add s1 file://" + directory.resolve("store"));
        machine().ok("volume create a --store s1 --ship-metadata on");
        var builder = new ProcessBuilder(Image.built().launcher().toString(), "-q", "put", "-",
                "a:/f").redirectOutput(directory.resolve("out").toFile())
                .redirectError(directory.resolve("err").toFile());
        builder.environment().put("VOLSH_HOME", directory.resolve("home").toString());
        put = builder.start();
        Eventually.value("the put is under way", () -> {
            assertThat(put.isAlive()).as(Files.readString(directory.resolve("err"))).isTrue();
            return machine().ok("volume show a -o json").out();
        }, shown -> shown.contains("\"purpose\":\"put\""));
        machine().ok("chaos store s1 --slow 1h --for 1h --detach -y");
        try (var in = put.getOutputStream()) {
            in.write('x');
        }
        Eventually.holds("the file is there", () -> {
            assertThat(put.isAlive()).as(Files.readString(directory.resolve("err"))).isTrue();
            return machine().run("stat a:/f").exit() == 0;
        });
        assertThat(machine().ok("durability a:/f -o value:state").out()).isEqualTo("stored\n");
        var ended = machine().run("durability wait a:/f --timeout 1s");
        assertThat(ended.exit()).as(ended.err()).isEqualTo(124);
        assertThat(ended.err()).contains("a:/f", "1s");
        put.destroyForcibly().waitFor();
        machine().ok("chaos store s1 --end -y");
        assertThat(machine().ok("durability wait a:/f -o value:state").out()).isEqualTo("committed\n");
    }
}
