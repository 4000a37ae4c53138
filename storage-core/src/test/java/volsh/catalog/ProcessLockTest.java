package volsh.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.meta.ChildJvm;

@Tag("volume")
final class ProcessLockTest {
    @TempDir
    Path directory;

    /** Says whether it could have the lock. */
    static final class Other {
        private Other() {}

        public static void main(String[] args) throws IOException {
            System.out.println(ProcessLock.tryTake(Path.of(args[0])).isPresent());
        }
    }

    private boolean isFreeForOthers() throws IOException {
        try (var other = ChildJvm.start(directory, Other.class, directory.resolve("lock"))) {
            return Boolean.parseBoolean(other.line());
        }
    }

    @Test
    void asOftenAsItIsAskedForHereItStaysHeld() throws IOException {
        var file = directory.resolve("lock");
        var lock = ProcessLock.tryTake(file).orElseThrow();
        var around = Files.createSymbolicLink(directory.resolve("around"), directory);
        assertThat(ProcessLock.tryTake(file)).isEmpty();
        assertThat(ProcessLock.tryTake(around.resolve("lock"))).isEmpty();
        assertThat(ProcessLock.holder(file)).isEqualTo(Long.toString(ProcessHandle.current().pid()));
        assertThat(isFreeForOthers()).isFalse();
        lock.close();
        lock.close();
        assertThat(isFreeForOthers()).isTrue();
        ProcessLock.tryTake(file).orElseThrow().close();
    }

    /** The control: a file that is opened again and closed is free for others, though nobody gave it up. */
    @Test
    void aSecondDescriptorWouldLetItGo() throws IOException {
        var file = directory.resolve("lock");
        try (var _ = ProcessLock.tryTake(file).orElseThrow()) {
            assertThat(isFreeForOthers()).isFalse();
            try (var second = FileChannel.open(file, StandardOpenOption.WRITE)) {
                second.tryLock();
            } catch (OverlappingFileLockException ours) {
                // and closed
            }
            assertThat(isFreeForOthers()).isTrue();
        }
    }
}
