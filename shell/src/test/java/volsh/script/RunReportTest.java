package volsh.script;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import volsh.json.Json;

/** Steps, the times of log lines, and {@code run --report}. */
@Timeout(120)
final class RunReportTest {
    private static final String TIME = "\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d ";

    @TempDir
    Path directory;

    private Workshop workshop;

    @BeforeEach
    void open() {
        workshop = new Workshop(directory);
    }

    @Test
    void stepsAndLogLinesHaveTheirTime() throws IOException {
        var ended = workshop.script("""
                log.info 'told'; log.warn 'beware'; log.error 'bad'
                println step('load') { 42 }
                attempt { step('break') { fail 'no' } }
                """);
        assertThat(ended.out()).isEqualTo("42\n");
        assertThat(ended.err().lines().toList()).satisfiesExactly(
                line -> assertThat(line).matches(TIME + "told"),
                line -> assertThat(line).matches(TIME + "warning: beware"), line ->
                assertThat(line).matches(TIME + "error: bad"), line -> assertThat(line).matches(TIME + "step load"),
                line -> assertThat(line).matches(TIME + "step load done in \\S+"), line -> assertThat(line).matches(
                TIME + "step break"), line -> assertThat(line).matches(TIME + "step break failed after \\S+"));
    }

    @Test
    void aReportSaysWhatWasDoneAndWhatFailed() throws IOException {
        workshop.with("STORE_PASSWORD", "hush-hush");
        Path script = workshop.file("job.groovy", """
                step('prepare') {
                    volume.create 'a'
                    step('inner') { sh 'true' }
                }
                attempt { sh 'echo hush-hush; exit 7' }
                log.warn '<script>alert(1)</script>'
                volume.get 'nope'
                """);
        Path json = directory.resolve("run.json");
        var ended = workshop.run("run", "--report", json.toString(), script.toString(), "arg");
        assertThat(ended.status()).isEqualTo(3);
        var report = Json.read(Files.readAllBytes(json)).values();
        assertThat(report).containsEntry("exit", 3L).containsEntry("dryRun", false)
                .containsEntry("arguments", List.of("arg"));
        assertThat(((Map<?, ?>) report.get("error")).get("code")).isEqualTo("VOL-0003");
        assertThat((List<?>) report.get("done")).map(item -> {
            var fields = (Map<?, ?>) item;
            return fields.get("kind") + " " + fields.get("depth") + " " + fields.get("text") + " " + fields.get("exit");
        }).map(Object::toString).containsExactly("step 0 prepare 0", "command 1 volume create a 0", "step 1 inner 0",
                "system 2 true 0", "system 0 echo ****; exit 7 7", "warning 0 <script>alert(1)</script> 0",
                "command 0 volume show nope 3");
        Path html = directory.resolve("run.html");
        assertThat(workshop.run("run", "--report", html.toString(), script.toString()).status())
                .as("the volume is there").isEqualTo(4);
        assertThat(Files.readString(html)).contains("<h1>" + script + "</h1>", "class='verdict failed'",
                "(exit 4)", "prefers-color-scheme: dark", "job.groovy:2: volume.create")
                .doesNotContain("hush-hush", "<script>", "src=", "http:", "https:");
    }

    @Test
    void aReportIsWrittenHoweverTheScriptEnds() throws IOException {
        Path json = directory.resolve("run.json");
        assertThat(workshop.run("run", "--report", json.toString(), "-c", "volume list\n!true\nvolume show nope")
                .status()).isEqualTo(3);
        assertThat(Files.readString(json)).contains("\"volume show nope\"", "\"system\"", "\"exit\":3");
        assertThat(workshop.run("-n", "run", "--report", json.toString(), "-e", "volume.create 'x'; exit 5").status())
                .isEqualTo(5);
        assertThat(Files.readString(json)).contains("\"dryRun\":true", "\"exit\":5", "volume create x");
        assertThat(workshop.run("run", "--report", json.toString(), "-e",
                "step('wait') { deadline(1.s) { sh 'exec sleep 1000' } }").status()).isEqualTo(124);
        assertThat(Files.readString(json)).contains("\"exit\":124", "\"error\":\"timed out after 1s\"")
                .containsPattern("\"system\",\"text\":\"exec sleep 1000\"[^}]*\"error\":\"stopped\"");
        assertThat(workshop.run("run", "--report", directory.resolve("x.txt").toString(), "-e", "volume.create 'y'")
                .err()).contains("neither in .html nor in .json");
        assertThat(workshop.run("run", "--report", "/nonexistent/x.json", "-e", "volume.create 'y'").status())
                .isEqualTo(2);
        assertThat(workshop.run("run", "-i", "--report", json.toString(), "-e", "volume.create 'y'").err())
                .contains("--deadline and --report");
        assertThat(workshop.run("volume", "list", "-o", "name").out()).as("nothing ran").isEmpty();
    }
}
