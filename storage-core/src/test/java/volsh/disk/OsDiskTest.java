package volsh.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.fs.NoSpaceException;

final class OsDiskTest implements DiskContract {
    private final Disk disk = new OsDisk();

    @TempDir
    Path root;

    @Override
    public Disk disk() {
        return disk;
    }

    @Override
    public Path root() {
        return root;
    }

    @Test
    void filesAndDirectoriesBelongToTheirOwnerAlone() throws Exception {
        disk.makeDirectories(root.resolve("x/y"));
        disk.create(root.resolve("x/y/z")).close();
        assertThat(mode("x")).isEqualTo("rwx------");
        assertThat(mode("x/y")).isEqualTo("rwx------");
        assertThat(mode("x/y/z")).isEqualTo("rw-------");
    }

    @Test
    void symbolicLinksAreNotFollowed() throws Exception {
        Path secret = Files.writeString(root.resolve("secret"), "s");
        Path link = Files.createSymbolicLink(root.resolve("link"), secret);
        Path dangling = Files.createSymbolicLink(root.resolve("dangling"), root.resolve("made"));
        Path directoryLink = Files.createSymbolicLink(root.resolve("dir"), Files.createDirectory(root.resolve("real")));
        assertThatThrownBy(() -> disk.open(link)).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> disk.create(dangling)).isInstanceOf(FileAlreadyExistsException.class);
        assertThat(root.resolve("made")).doesNotExist();
        assertThatThrownBy(() -> disk.makeDirectories(directoryLink)).isInstanceOf(NotDirectoryException.class);
        assertThat(disk.list(root)).extracting(Disk.Listed::name).containsExactly("real", "secret");
    }

    @Test
    void aDirectoryEverybodyMayWriteToIsRefused() throws Exception {
        Path open = Files.createDirectory(root.resolve("open"));
        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
        assertThatThrownBy(() -> disk.makeDirectories(open)).hasMessageContaining("it is world-writable");
    }

    @Test
    void aWriteThatFailsSaysWhere() throws Exception {
        assumeTrue(Files.exists(Path.of("/dev/full")));
        try (var full = disk.edit(Path.of("/dev/full"))) {
            assertThatThrownBy(() -> full.write(ByteBuffer.allocate(10), 0)).isInstanceOf(NoSpaceException.class)
                    .hasMessage("/dev/full: No space left on device");
        }
    }

    @Test
    void aFileInTheWayOfADirectoryIsRefused() throws Exception {
        Files.writeString(root.resolve("file"), "");
        assertThatThrownBy(() -> disk.makeDirectories(root.resolve("file"))).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> disk.makeDirectories(root.resolve("file/below"))).isInstanceOf(IOException.class);
    }

    private String mode(String path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(root.resolve(path)));
    }
}
