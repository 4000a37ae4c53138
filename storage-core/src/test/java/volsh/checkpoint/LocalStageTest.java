package volsh.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.volume.Refusal;

final class LocalStageTest {
    @TempDir
    Path directory;

    private Path source() throws IOException {
        Path source = Files.createDirectories(directory.resolve("out/sub"));
        Files.writeString(source.resolve("b"), "two");
        Files.writeString(source.getParent().resolve("a"), "one");
        return source.getParent();
    }

    @Test
    void aCopyLeavesTheSource() throws IOException {
        Path copy = new LocalStage(directory.resolve("stage")).copy(source());
        assertThat(copy.resolve("sub/b")).hasContent("two");
        assertThat(directory.resolve("out/a")).hasContent("one");
    }

    /** On the same disk nothing is copied: the file is the one that was written. */
    @Test
    void whatIsTakenMoves() throws IOException {
        Path source = source();
        Object file = Files.getAttribute(source.resolve("sub/b"), "unix:ino");
        Path taken = new LocalStage(directory.resolve("stage")).take(source);
        assertThat(taken.resolve("sub/b")).hasContent("two");
        assertThat(Files.getAttribute(taken.resolve("sub/b"), "unix:ino")).isEqualTo(file);
        assertThat(source).doesNotExist();
        Path single = Files.writeString(directory.resolve("model.pt"), "weights");
        assertThat(new LocalStage(directory.resolve("stage")).take(single).resolve("model.pt")).hasContent("weights");
        assertThat(single).doesNotExist();
        try (var staged = Files.list(directory.resolve("stage"))) {
            assertThat(staged.count()).isEqualTo(2);
        }
    }

    /** A link is not what it leads to: that is copied, and the link goes. */
    @Test
    void ofALinkOnlyTheLinkGoes() throws IOException {
        Path source = source();
        Path link = Files.createSymbolicLink(directory.resolve("link"), source);
        Path taken = new LocalStage(directory.resolve("stage")).take(link);
        assertThat(taken.resolve("a")).hasContent("one");
        assertThat(link).doesNotExist();
        assertThat(source.resolve("a")).hasContent("one");
        assertThatThrownBy(() -> new LocalStage(directory.resolve("stage")).take(directory.resolve("none"))).isInstanceOf(Refusal.class);
    }
}
