package volsh.command.place;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.command.tree.Scratch;
import volsh.place.Chaos;

/** A migration that was stopped is resumed as it was asked for. */
final class StripeMigrateTest {
    @TempDir
    Path directory;

    @Test
    void whatWasStoppedIsResumedAsItWasAskedFor() throws Exception {
        var machine = new Scratch(directory.resolve("home"));
        for (int i = 1; i <= 3; i++) {
            machine.ok("store add s%d file://%s".formatted(i, directory.resolve("s" + i)));
        }
        machine.ok("volume create big --store s1,s2,s3 --stripe-count 1 --block-size 64KiB --inline 0");
        machine.fill("big", 2, 400_000);
        machine.ok("mkdir big:/other");
        var none = machine.run("stripe migrate big:/data --resume");
        assertThat(none.status()).isEqualTo(3);
        assertThat(none.err()).contains("there is no unfinished migration of big:/data")
                .contains("volsh stripe migrate big:/data");

        machine.volumes().spreading().order("s3", Chaos.until(Instant.now().plusSeconds(3600)).withDown());
        var stopped = machine.run("stripe migrate big:/data --mirror 2 --limit 1GB/s");
        assertThat(stopped.status()).isEqualTo(6);
        assertThat(stopped.err()).contains("'s3'").contains("volsh stripe migrate big:/data --resume");
        machine.volumes().spreading().end("s3");

        assertThat(machine.run("stripe migrate big:/other --resume").err()).contains("unfinished: big:/data");
        assertThat(machine.run("stripe migrate big:/data --resume --ec 2+1").status()).isEqualTo(2);
        assertThat(machine.ok("stripe migrate big:/data --resume -n").out()).contains("mirror:2");
        long moved = Long.parseLong(machine.ok("stripe migrate big:/data/ --resume -o value:moved").out().strip());
        assertThat(moved).as("the rest: all of it, if the store was asked for before any other block was moved")
                .isBetween(1L, 14L);
        assertThat(machine.ok("stripe list big:/data -o value:written").out()).isEqualTo("mirror:2\nmirror:2\n");
        assertThat(machine.run("stripe migrate big:/data --resume").status()).as("it is finished").isEqualTo(3);
        assertThat(machine.ok("stripe migrate big:/data -o value:moved").out().strip()).isEqualTo("0");
        machine.ok("scrub big --deep");
    }
}
