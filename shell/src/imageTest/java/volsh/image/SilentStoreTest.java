package volsh.image;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A store that hangs for an hour, with a change that is not shipped yet and no mount. */
final class SilentStoreTest {
    @TempDir
    Path directory;

    private Process put;

    @AfterEach
    void end() throws InterruptedException {
        if (put != null) {
            put.destroyForcibly().waitFor(30, TimeUnit.SECONDS);
        }
    }

    private Image.Ran volsh(String words) throws IOException {
        return Image.built().run(Map.of("VOLSH_HOME", directory.resolve("home").toString()), words.split(" "));
    }

    private String ok(String words) throws IOException {
        var ran = volsh(words);
        assertThat(ran.exit()).as(words + "\n" + ran.err()).isZero();
        return ran.out();
    }

    @Test
    @Timeout(300)
    void isNotWaitedForLongerThanAsked() throws Exception {
        ok("store add s1 file://" + directory.resolve("store"));
        ok("volume create a --store s1 --ship-metadata on");
        var builder = new ProcessBuilder(Image.built().launcher().toString(), "-q", "put", "-", "a:/f").redirectOutput(directory.resolve("out").toFile())
                .redirectError(directory.resolve("err").toFile());
        builder.environment().put("VOLSH_HOME", directory.resolve("home").toString());
        put = builder.start();
        while (!ok("volume show a -o json").contains("\"purpose\":\"put\"")) {
            assertThat(put.isAlive()).as(Files.readString(directory.resolve("err"))).isTrue();
        }
        ok("chaos store s1 --slow 1h --for 1h --detach -y");
        try (var in = put.getOutputStream()) {
            in.write('x');
        }
        while (volsh("stat a:/f").exit() != 0) {
            assertThat(put.isAlive()).as(Files.readString(directory.resolve("err"))).isTrue();
        }
        assertThat(ok("durability a:/f -o value:state")).isEqualTo("stored\n");
        var ended = volsh("durability wait a:/f --timeout 1s");
        assertThat(ended.exit()).as(ended.err()).isEqualTo(124);
        assertThat(ended.err()).contains("a:/f", "1s");
        put.destroyForcibly().waitFor();
        ok("chaos store s1 --end -y");
        assertThat(ok("durability wait a:/f -o value:state")).isEqualTo("committed\n");
    }
}
