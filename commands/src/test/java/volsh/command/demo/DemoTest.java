package volsh.command.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.command.Cancellation;
import volsh.command.Converters;
import volsh.command.Host;
import volsh.command.TestHost;
import volsh.command.failure.ExitCode;
import volsh.command.run.CommandRunner;
import volsh.command.run.CommandTree;
import volsh.command.run.Node;
import volsh.command.tree.Commands;
import volsh.fs.Owner;
import volsh.mount.Launcher;

final class DemoTest {
    @TempDir
    Path temporary;

    private TestHost host() {
        var host = new TestHost().with("TMPDIR", temporary.toString());
        host.services().with(Owner.class, () -> Owner.ROOT)
                .with(Launcher.class, () -> new Launcher(List.of("/bin/false")));   // nothing can be mounted
        return host;
    }

    private static CommandTree only(Demo.Vandal vandal) {
        return new CommandTree(List.of(Node.command("demo", () -> new Demo(Commands::tree, vandal))),
                Converters.standard());
    }

    /** Without mounts; {@code DemoImageTest} has those. */
    @Test
    void itProvesWhatItClaimsAndLeavesNothing() {
        var host = host();
        var exit = host.run(only(Damage::to), "demo");
        assertThat(exit).as(host.out() + host.err()).isEqualTo(ExitCode.OK);
        assertThat(host.out())
                .contains("$ volsh volume create training-data", "not possible here: the demo goes on without a mount",
                "$ volsh put -r dataset training-data:/", "324 of 324 are identical", "restored training-data:/dataset",
                "1MiB of it new", "checksum mismatch", "323 other files are intact",
                "$ volsh volume destroy training-data").doesNotContain("\u001b");
        assertThat(host.out().lines().toList().getLast()).startsWith("proven in ");
        assertThat(temporary).isEmptyDirectory();
    }

    /** The negative control: the demo does not say proven when nothing was there to be noticed. */
    @Test
    void itSaysSoWhenDamageIsNotNoticed() {
        var host = host();
        var exit = host.run(only(store -> new Damage(store, 0)), "demo", "-o", "json");
        assertThat(exit).isEqualTo(ExitCode.INTEGRITY);
        assertThat(host.out()).contains("\"volsh did not detect the damage\"", "\"ok\": false")
                .doesNotContain("proven");
        assertThat(temporary).isEmptyDirectory();
    }

    @Test
    void stoppedItCleansUp() {
        var cancellation = new Cancellation();
        var host = host().host();
        var stopper = new OutputStream() {
            @Override
            public void write(int b) {}

            @Override
            public void write(byte[] bytes, int offset, int length) {
                if (new String(bytes, offset, length, StandardCharsets.UTF_8).contains("$ volsh put")) {
                    cancellation.request();
                }
            }
        };
        var stoppable = new Host(host.in(), stopper, host.err(), host.environment(), host.clock(), host.zone(),
                host.terminal(), host.services());
        var exit = new CommandRunner(only(Damage::to), stoppable).run(List.of("demo"), cancellation);
        assertThat(exit).isEqualTo(ExitCode.CANCELLED);
        assertThat(temporary).isEmptyDirectory();
    }
}
