package volsh.tree;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.proc.ProcessMark;

/** What stopped processes left is removed, and nothing that is being written, or that may be of another machine. */
final class TemporaryFilesTest {
    @TempDir
    private Path directory;

    private Path file(String name, Duration age) throws IOException {
        var file = Files.writeString(directory.resolve(name), "x");
        Files.setLastModifiedTime(file, FileTime.from(Instant.now().minus(age)));
        return file;
    }

    private List<String> names() throws IOException {
        try (var files = Files.list(directory)) {
            return files.map(path -> path.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void theLivingAndTheUnknownStay() throws Exception {
        String own = ProcessMark.own().text();
        String dead = own.substring(0, own.lastIndexOf('.')) + ".1";
        var mine = TemporaryFiles.beside(directory.resolve("f"));
        Files.writeString(mine, "x");
        file(".volsh-" + dead + "-0123456789abcdef", Duration.ZERO);
        var elsewhere = file(".volsh-00000000.1.2.3-0123456789abcdef", Duration.ofHours(23));
        file(".volsh-00000000.1.2.4-0123456789abcdef", Duration.ofHours(25));
        var earlier = file(".volsh-0123456789abcdef", Duration.ZERO);
        file(".volsh-fedcba9876543210", Duration.ofHours(25));
        var other = file("other", Duration.ofDays(100));
        var theirs = Files.createDirectory(directory.resolve(".volsh-restoring"));
        Files.setLastModifiedTime(theirs, FileTime.from(Instant.EPOCH));
        new TemporaryFiles().sweep(directory);
        assertThat(names()).containsExactlyInAnyOrder(mine.getFileName().toString(),
                elsewhere.getFileName().toString(), earlier.getFileName().toString(), other.getFileName().toString(),
                theirs.getFileName().toString());
    }

    @Test
    void unfinishedFilesStayUntilNobodyGoesOnWithThem() throws Exception {
        file(".volsh-aaaaaaaaaaaa-bbbbbbbbbbbb", Duration.ofDays(3));
        file(".volsh-aaaaaaaaaaaa-bbbbbbbbbbbb.parts", Duration.ZERO);
        file(".volsh-aaaaaaaaaaaa-cccccccccccc", Duration.ofDays(3));
        file(".volsh-aaaaaaaaaaaa-cccccccccccc.parts", Duration.ofDays(2));
        var files = new TemporaryFiles();
        files.sweep(directory);
        assertThat(names()).as("written to lately").containsExactly(".volsh-aaaaaaaaaaaa-bbbbbbbbbbbb",
                ".volsh-aaaaaaaaaaaa-bbbbbbbbbbbb.parts");
        try (var log = FileChannel.open(directory.resolve(".volsh-aaaaaaaaaaaa-bbbbbbbbbbbb.parts"),
                StandardOpenOption.WRITE)) {
            assertThat(log.lock()).isNotNull();
            files.complete();
            assertThat(names()).as("under way").hasSize(2);
        }
        new TemporaryFiles().sweep(directory);
        var last = new TemporaryFiles();
        last.sweep(directory);
        last.complete();
        assertThat(names()).isEmpty();
    }

    /** More directories than are remembered: the last ones are not looked through again, the first one is. */
    @Test
    void directoriesAreSweptOnce() throws Exception {
        var files = new TemporaryFiles();
        for (int i = 0; i < 70; i++) {
            files.sweep(Files.createDirectory(directory.resolve("d" + i)));
        }
        var last = file("d69/.volsh-fedcba9876543210", Duration.ofHours(25));
        var first = file("d0/.volsh-fedcba9876543210", Duration.ofHours(25));
        files.sweep(directory.resolve("d69"));
        files.sweep(directory.resolve("d0"));
        assertThat(last).exists();
        assertThat(first).doesNotExist();
    }
}
