package volsh.shard.format;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import volsh.shard.ShardFormat;

/** The programs of docs/SHARDS.md print what it says they print. */
@Tag("data")
final class ShardsDocumentTest {
    private static final Pattern PROGRAM = Pattern.compile("```python\n(.*?)```\n```\n(.*?)```", Pattern.DOTALL);

    @Test
    void theProgramsPrintWhatTheDocumentSays() throws Exception {
        var document = Files.readString(Path.of(System.getProperty("volsh.project", "."), "docs/SHARDS.md"));
        boolean numpy = new ProcessBuilder("python3", "-c", "import numpy").start().waitFor() == 0;
        int programs = 0;
        for (var program = PROGRAM.matcher(document); program.find(); programs++) {
            assertThat(program.group(1).lines().count()).as(program.group(1)).isLessThanOrEqualTo(5);
            if (numpy || !program.group(1).contains("numpy")) {
                assertThat(output(program.group(1))).as(program.group(1)).isEqualTo(program.group(2));
            }
        }
        assertThat(programs).isEqualTo(ShardFormat.values().length);
        Assumptions.assumeTrue(numpy, "python3 has no numpy here: the programs for tokens and mmap did not run");
    }

    private static String output(String program) throws Exception {
        var process = new ProcessBuilder("python3", "-X", "utf8", "-c", program).redirectErrorStream(true)
                .directory(GoldenShards.resource("golden.tar").getParent().toFile()).start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        return output;
    }
}
