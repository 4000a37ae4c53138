package volsh.image;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is logged beside a command looks like its other messages. */
final class LoggedTest {
    @TempDir
    Path directory;

    @Test
    void aRepairedCopyIsOneLine() throws IOException {
        var machine = new Scratch(directory.resolve("home"));
        machine.ok("store add s1 file://" + directory.resolve("s1"));
        machine.ok("store add s2 file://" + directory.resolve("s2"));
        machine.ok("volume create v --store s1,s2 --mirror 2 --inline 0");
        var source = Files.write(directory.resolve("f"), new byte[200_000]);
        machine.ok("put " + source + " v:/f");
        try (var objects = Files.walk(directory.resolve("s2"))) {
            for (var object : objects.filter(each -> Files.isRegularFile(each) && each.toString().contains("/blocks/"))
                    .toList()) {
                Files.write(object, new byte[10]);
            }
        }
        assertThat(machine.ok("scrub v --deep").err()).contains("warning: block ")
                .doesNotContain("WARNING", "java.", "\tat ");
    }
}
