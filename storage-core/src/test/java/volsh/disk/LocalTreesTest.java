package volsh.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Names that others gave, below a directory of ours. */
final class LocalTreesTest {
    @TempDir
    Path directory;

    @Test
    void aNameDoesNotLeadOutOfTheTree() throws IOException {
        Path root = Files.createDirectory(directory.resolve("root"));
        assertThat(LocalTrees.below(root, "a/b")).isEqualTo(root.resolve("a/b"));
        assertThat(LocalTrees.below(root, "a/../b")).isEqualTo(root.resolve("b"));
        assertThat(LocalTrees.below(root, "")).isEqualTo(root);
        for (String way : new String[] {"..", "../x", "a/../../x", "/etc/passwd", "../root2"}) {
            assertThatThrownBy(() -> LocalTrees.below(root, way)).as(way).isInstanceOf(AccessDeniedException.class);
        }
    }

    @Test
    void aLinkOnTheWayIsNotFollowed() throws IOException {
        Path root = Files.createDirectory(directory.resolve("root"));
        Files.createSymbolicLink(root.resolve("link"), directory);
        assertThatThrownBy(() -> LocalTrees.below(root, "link/x")).isInstanceOf(FileSystemException.class)
                .hasMessageContaining("symbolic links are not followed");
        assertThat(LocalTrees.below(root, "link")).as("the link itself").isEqualTo(root.resolve("link"));
        Files.createSymbolicLink(directory.resolve("way"), root);
        assertThat(LocalTrees.below(directory.resolve("way"), "x")).as("what the user names")
                .isEqualTo(directory.resolve("way/x"));
    }

    /** A system below a directory: its links may lead anywhere within, as {@code sbin -> usr/sbin} does. */
    @Test
    void whatLeadsOutOfASystemIsRefused() throws IOException {
        var root = Files.createDirectories(directory.resolve("root/usr/sbin")).getParent().getParent();
        Files.createSymbolicLink(root.resolve("sbin"), Path.of("usr/sbin"));
        LocalTrees.requireWithin(root, root.resolve("sbin/not/there"));
        LocalTrees.requireWithin(root.resolve("none"), root.resolve("none/etc"));
        Files.createSymbolicLink(root.resolve("etc"), directory);
        assertThatThrownBy(() -> LocalTrees.requireWithin(root, root.resolve("etc/systemd")))
                .hasMessageContaining("it is outside of " + root);
        Files.createSymbolicLink(root.resolve("usr/lib"), Path.of("../../.."));
        assertThatThrownBy(() -> LocalTrees.requireWithin(root, root.resolve("usr/lib")))
                .hasMessageContaining("it is outside of " + root);
    }
}
