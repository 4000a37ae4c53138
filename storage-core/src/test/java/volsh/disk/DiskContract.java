package volsh.disk;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What every {@link Disk} promises while the power is on. */
interface DiskContract {
    Disk disk();

    /** An existing directory of the disk. */
    Path root();

    @Test
    default void writtenBytesAreRead() throws Exception {
        try (Disk.File file = disk().create(root().resolve("a"))) {
            file.write(bytes("hello"), 0);
            file.write(bytes("p!"), 3);
            file.sync();
            assertThat(file.size()).isEqualTo(5);
            assertThat(read(file, 1, 100)).isEqualTo("elp!");
            assertThat(read(file, 5, 1)).isEmpty();
            assertThat(read(file, 500, 1)).isEmpty();
        }
        try (Disk.File file = disk().open(root().resolve("a"))) {
            assertThat(read(file, 0, 3)).isEqualTo("hel");
        }
    }

    @Test
    default void anExistingFileCanBeEdited() throws Exception {
        write("a", "hello");
        try (Disk.File file = disk().edit(root().resolve("a"))) {
            file.write(bytes("p!"), 3);
            assertThat(read(file, 0, 9)).isEqualTo("help!");
        }
        assertThatThrownBy(() -> disk().edit(root().resolve("b"))).isInstanceOf(NoSuchFileException.class);
    }

    @Test
    default void aStampTellsFilesApart() throws Exception {
        assertThat(disk().stamp(root().resolve("a"))).isEmpty();
        write("a", "hello");
        var first = disk().stamp(root().resolve("a"));
        assertThat(first).isPresent().isEqualTo(disk().stamp(root().resolve("a")));
        write("b", "hello");
        assertThat(disk().stamp(root().resolve("b"))).isPresent().isNotEqualTo(first);
        try (Disk.File file = disk().edit(root().resolve("a"))) {
            file.write(bytes("!"), 5);
        }
        assertThat(disk().stamp(root().resolve("a"))).isPresent().isNotEqualTo(first);
        disk().rename(root().resolve("b"), root().resolve("a"));
        assertThat(disk().stamp(root().resolve("b"))).isEmpty();
    }

    @Test
    default void aGapReadsAsZeros() throws Exception {
        try (Disk.File file = disk().create(root().resolve("a"))) {
            file.write(bytes("x"), 3);
            assertThat(read(file, 0, 4)).isEqualTo("\0\0\0x");
        }
    }

    @Test
    default void createRefusesATakenNameAndOpenAnAbsentOne() throws Exception {
        disk().create(root().resolve("a")).close();
        assertThatThrownBy(() -> disk().create(root().resolve("a"))).isInstanceOf(FileAlreadyExistsException.class);
        assertThatThrownBy(() -> disk().open(root().resolve("b"))).isInstanceOf(NoSuchFileException.class);
        assertThatThrownBy(() -> disk().create(root().resolve("no/such"))).isInstanceOf(NoSuchFileException.class);
    }

    @Test
    default void renameReplaces() throws Exception {
        write("a", "new");
        write("b", "old");
        disk().rename(root().resolve("a"), root().resolve("b"));
        disk().syncDirectory(root());
        assertThat(disk().list(root())).extracting(Disk.Listed::name).containsExactly("b");
        try (Disk.File file = disk().open(root().resolve("b"))) {
            assertThat(read(file, 0, 9)).isEqualTo("new");
        }
        assertThatThrownBy(() -> disk().rename(root().resolve("a"), root().resolve("c")))
                .isInstanceOf(NoSuchFileException.class);
    }

    @Test
    default void listsByName() throws Exception {
        write("c", "1");
        write("a", "22");
        disk().makeDirectories(root().resolve("b/deep"));
        assertThat(disk().list(root())).extracting(Disk.Listed::name).containsExactly("a", "b", "c");
        assertThat(disk().list(root())).extracting(Disk.Listed::directory).containsExactly(false, true, false);
        assertThat(disk().list(root()).getFirst().size()).isEqualTo(2);
        assertThat(disk().list(root().resolve("absent"))).isEmpty();
    }

    @Test
    default void makesSeveralDirectoriesAtOnce() throws Exception {
        disk().makeDirectories(root().resolve("top/b"));
        disk().makeDirectories(root().resolve("top"), List.of("a", "b", "c"));
        assertThat(disk().list(root().resolve("top"))).extracting(Disk.Listed::name).containsExactly("a", "b", "c");
        assertThat(disk().list(root().resolve("top"))).allMatch(Disk.Listed::directory);
        assertThat(disk().isDirectory(root().resolve("top/b"))).isTrue();
        assertThat(disk().isDirectory(root().resolve("top/d"))).isFalse();
        write("file", "1");
        assertThat(disk().isDirectory(root().resolve("file"))).isFalse();
        assertThatThrownBy(() -> disk().makeDirectories(root(), List.of("dir", "file")))
                .isInstanceOf(IOException.class);
    }

    @Test
    default void deleteIsIdempotent() throws Exception {
        write("a", "1");
        disk().delete(root().resolve("a"));
        disk().delete(root().resolve("a"));
        assertThat(disk().list(root())).isEmpty();
    }

    @Test
    default void anOpenFileOutlivesItsName() throws Exception {
        write("a", "still here");
        try (Disk.File file = disk().open(root().resolve("a"))) {
            disk().delete(root().resolve("a"));
            assertThat(read(file, 0, 5)).isEqualTo("still");
        }
    }

    private void write(String name, String text) throws Exception {
        try (Disk.File file = disk().create(root().resolve(name))) {
            file.write(bytes(text), 0);
        }
    }

    static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.getBytes(UTF_8));
    }

    static String read(Disk.File file, long position, int length) throws Exception {
        var target = ByteBuffer.allocateDirect(length);
        int count = file.read(target, position);
        assertThat(target.position()).isEqualTo(count);
        return UTF_8.decode(target.flip()).toString();
    }
}
