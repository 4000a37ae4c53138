package volsh.shell;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.fs.Owner;

final class ProcessOwnerTest {
    @TempDir
    Path directory;

    @Test
    void effectiveIdsCount() {
        assertThat(ProcessOwner.parse("Name:\tjava\nUid:\t1000\t1001\t0\t0\nGid:\t100\t101\t0\t0\n"))
                .isEqualTo(new Owner(1001, 101));
    }

    @Test
    void itIsWhoOurFilesBelongTo() throws Exception {
        Path mine = Files.createFile(directory.resolve("mine"));
        assertThat(ProcessOwner.read()).isEqualTo(new Owner(
                (int) Files.getAttribute(mine, "unix:uid", LinkOption.NOFOLLOW_LINKS),
                (int) Files.getAttribute(mine, "unix:gid", LinkOption.NOFOLLOW_LINKS)));
    }
}
