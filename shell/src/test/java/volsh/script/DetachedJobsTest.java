package volsh.script;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import volsh.hang.Eventually;

/** The commands {@code job …} with real processes of the program. */
@Timeout(180)
final class DetachedJobsTest {
    @TempDir
    Path directory;
    private Workshop shop;

    @BeforeEach
    void shop() {
        shop = new Workshop(directory);
    }

    @AfterEach
    void nothingIsLeft() throws Exception {
        for (String id : shop.run("job", "list", "--running", "-o", "name").out().lines().toList()) {
            shop.run("job", "cancel", "--force", id);
        }
        assertThat(shop.run("job", "list", "--running", "-o", "name").out()).isEmpty();
    }

    /** As the examples of the help show it. */
    @Test
    void startedWaitedForReadAndForgotten() throws Exception {
        assertThat(shop.run("volume", "create", "training-data").status()).isZero();
        assertThat(shop.run("job", "start", "-n", "volume", "list").out()).contains("start", "job", "volume list");
        var started = shop.run("job", "start", "--title", "all of them", "--", "volume", "list", "-o", "name");
        assertThat(started.status()).as(started.err()).isZero();
        assertThat(started.err()).contains("started job j1: all of them", "volsh job wait j1");
        var waited = shop.run("job", "wait", "j1", "--timeout", "10m", "-o", "json");
        assertThat(waited.status()).as(waited.err()).isZero();
        assertThat(waited.out()).contains("\"id\": \"j1\"", "\"state\": \"done\"", "\"exit\": 0");
        assertThat(shop.run("job", "log", "j1").out()).isEqualTo("training-data\n");
        assertThat(shop.run("job", "log", "j1", "--follow").out()).isEqualTo("training-data\n");
        assertThat(shop.run("job", "show", "j1").out()).contains("all of them", "volume list -o name", "pid");
        assertThat(shop.run("job", "forget", "--ended").err()).contains("forgot 1 job");
        assertThat(shop.run("job", "list", "-o", "name").out()).isEmpty();
    }

    @Test
    void theExitCodeIsKeptAndACancelledOneCleansUp() throws Exception {
        Path left = directory.resolve("left");
        assertThat(shop.run("job", "start", "--", "-e", ("defer { new File('%s').text = 'clean' }; println 'here'; "
                + "sleep(600_000)").formatted(left)).status()).isZero();
        assertThat(shop.run("job", "start", "volume", "show", "nosuch").status()).isZero();
        assertThat(shop.run("job", "wait", "j2").status()).isEqualTo(3);
        assertThat(shop.run("job", "list", "--running", "-o", "name").out()).isEqualTo("j1\n");
        assertThat(shop.run("job", "wait", "j1", "--timeout", "10ms").status()).isEqualTo(124);
        assertThat(shop.run("job", "forget", "j1").status()).isEqualTo(5);
        awaitLog("j1", "here");
        assertThat(shop.run("job", "cancel", "j1", "-o", "value:state").out()).isEqualTo("cancelled\n");
        assertThat(left).hasContent("clean");
        assertThat(shop.run("job", "wait", "j1", "j2").status()).isEqualTo(143);
        assertThat(shop.run("job", "forget", "j1").status()).isZero();
    }

    private void awaitLog(String id, String text) throws Exception {
        Eventually.holds("the log of %s has '%s'".formatted(id, text),
                () -> shop.run("job", "log", id).out().contains(text));
    }

    @Test
    void scriptsStartThemAndSeeThem() throws Exception {
        var ended = shop.script("""
                def j = job.start 'run', '-e', 'sleep 600_000'
                println jobs.findAll { it.state == 'running' }*.job
                def all = jobs
                all[0].kill()
                println all[0].join()
                println attempt { j.join() }.exit
                println job.wait(job.start('version'))*.exit
                println jobs*.state
                println job.list()*.id
                """);
        assertThat(ended.status()).as(ended.err()).isZero();
        assertThat(ended.out().lines().toList()).containsExactly("[j1]", "143", "143", "[0]", "[cancelled, done]",
                "[j1, j2]");
    }

    @Test
    void whatCannotBeStartedFailsAtOnce() throws Exception {
        assertThat(shop.run("job", "start", "volum", "list"))
                .matches(ended -> ended.status() == 127 && ended.err().contains("volume list"));
        assertThat(shop.run("job", "start", "volume").status()).isEqualTo(2);
        assertThat(shop.run("job", "start").status()).isEqualTo(2);
        for (String verb : List.of("show", "wait", "log", "cancel", "forget")) {
            assertThat(shop.run("job", verb, "j9").status()).as(verb).isEqualTo(3);
        }
        assertThat(shop.run("job", "forget").status()).isEqualTo(2);
    }
}
