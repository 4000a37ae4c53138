package volsh.command.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.command.mount.SmallDisk;
import volsh.command.tree.Scratch;
import volsh.postgrestest.LosingProxy;
import volsh.postgrestest.PostgresServer;

/** The console on a machine in trouble still serves, and says what the trouble is. */
@Tag("wait")
final class ConsoleTroubleTest {
    @TempDir
    Path directory;

    @Test
    void theDiskOfTheHomeIsFull() throws Exception {
        try (var disk = SmallDisk.mount(directory.resolve("disk"), 6)) {
            var scratch = new Scratch(directory.resolve("disk/home"));
            scratch.ok("volume create data");
            disk.fill();
            try (var console = new RunningConsole(scratch, "")) {
                assertThat(console.message("\"panel\":\"status\"")).contains("\"full\"", "no space left");
                assertThat(console.message("\"panel\":\"volumes\"")).contains("data");
                assertThat(console.message("\"panel\":\"jobs\"")).contains("\"rows\":[]");
            }
        }
    }

    /** The database accepts connections and never answers: panels about volumes wait, others do not. */
    @Test
    void theDatabaseIsSilentThenAway() throws Exception {
        var scratch = new Scratch(directory.resolve("home"));
        try (var way = new LosingProxy(PostgresServer.shared().port())) {
            scratch.ok("store add lake file://" + directory.resolve("lake"));
            scratch.ok("volume create shared --store lake --meta %s#%s".formatted(PostgresServer.url(way.port()),
                    PostgresServer.freshName()));
            way.swallow(true);
            try (var console = new RunningConsole(scratch, "")) {
                assertThat(console.message("\"panel\":\"jobs\"")).contains("\"rows\":[]");
                assertThat(console.message("\"panel\":\"late\",\"of\":\"volumes\"")).contains("\"seconds\":");
            }
            way.refuse(true);
            try (var console = new RunningConsole(scratch, "")) {
                assertThat(console.message("\"panel\":\"status\"")).contains("shared", "unavailable");
            }
        }
    }
}
