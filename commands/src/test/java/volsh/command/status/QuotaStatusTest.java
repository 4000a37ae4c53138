package volsh.command.status;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.command.tree.Scratch;

/** What status and writers say when a quota is nearly or quite used up. */
final class QuotaStatusTest {
    @TempDir
    Path directory;

    @Test
    void aQuotaIsWarnedOfAndThenFull() throws Exception {
        var scratch = new Scratch(directory.resolve("home"));
        scratch.ok("volume create data --block-size 64KiB");
        scratch.ok("mkdir 'data:/my dir'");
        var file = Files.write(directory.resolve("f"), new byte[95_000]);
        scratch.ok("quota set 'data:/my dir' 100000");
        scratch.ok("put %s 'data:/my dir/f'".formatted(file));
        var near = scratch.ok("status");
        assertThat(near.err()).startsWith("no problem, 1 warning: volume data is nearly full");
        assertThat(near.out()).contains("quota of directory data:/my dir", "(95%)", "volsh du 'data:/my dir'");
        var refused = scratch.run("put %s 'data:/my dir/g'".formatted(file));
        assertThat(refused.status()).isEqualTo(8);
        assertThat(refused.err()).contains("quota exceeded: directory data:/my dir may hold",
                "hint: volsh quota show 'data:/my dir'", "hint: to raise the limit: volsh quota set 'data:/my dir' ");
        scratch.ok("quota show 'data:/my dir'");
        scratch.ok("quota set data 95KB");
        var full = scratch.run("status");
        assertThat(full.status()).isEqualTo(8);
        assertThat(full.err()).startsWith("1 problem: volume data is full");
    }
}
