package volsh.command.place;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.command.tree.Scratch;

/** Whatever brings a file into a directory, its blocks have the layout of that directory. */
final class LayoutsInheritedTest {
    @TempDir
    Path directory;

    @Test
    void filesGetTheLayoutOfTheDirectoryTheyArePutInto() throws Exception {
        var machine = new Scratch(directory.resolve("home"));
        for (int i = 1; i <= 3; i++) {
            machine.ok("store add s%d file://%s".formatted(i, directory.resolve("s" + i)));
        }
        machine.ok("volume create big --store s1,s2,s3 --stripe-count -1 --block-size 256KiB --inline 0");
        machine.ok("volume create other --store s1,s2,s3 --stripe-count -1 --block-size 256KiB --inline 0");
        var source = Files.createDirectories(directory.resolve("source/below"));
        for (int size : new int[] {10_000, 200_000, 700_000, 2_500_000}) {   // packed, a block, several, many
            var bytes = new byte[size];
            new SplittableRandom(size).nextBytes(bytes);
            Files.write(source.resolve("f" + size), bytes);
        }
        machine.ok("mkdir big:/hot");
        machine.ok("stripe set big:/hot --mirror 2 --size 128KiB");
        machine.ok("put -r %s big:/hot/tree".formatted(source.getParent()));
        machine.ok("put %s big:/hot/one".formatted(source.resolve("f700000")));
        machine.ok("put %s big:/hot/one".formatted(source.resolve("f2500000")));   // replaced
        machine.ok("put %s other:/f".formatted(source.resolve("f700000")));
        machine.ok("cp other:/f big:/hot/copied");
        assertThat(machine.ok("stripe list big:/hot -o value:written").out().lines()).hasSize(6)
                .allMatch("mirror:2"::equals);
        assertThat(machine.ok("stripe list big:/hot -o value:layout").out().lines())
                .allMatch("mirror:2,size=128KiB"::equals);
        assertThat(machine.ok("stripe list big:/hot/copied -o value:blocks").out()).as("blocks as long as there")
                .isEqualTo("6\n");
        machine.ok("put %s big:/plain".formatted(source.resolve("f700000")));
        assertThat(machine.ok("stripe list big:/plain -o value:written").out()).as("the control")
                .isEqualTo("stripe:3\n");
    }
}
