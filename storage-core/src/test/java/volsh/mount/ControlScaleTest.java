package volsh.mount;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.mount.MountRequest.JobRequest;
import volsh.mount.MountRequest.PrefetchRequest;
import volsh.mount.MountRequest.UnpinRequest;
import volsh.warm.Wish;

/**
 * A mount takes as many words as a command line may have: {@code cache warm mount/*} names every file of a directory.
 */
final class ControlScaleTest {
    /** What Linux lets a command have. */
    private static final int COMMAND_LINE = 2 << 20;

    @TempDir
    Path directory;

    @Test
    void aWishOfThousandsOfPathsArrives() throws IOException {
        var paths = Collections.nCopies(COMMAND_LINE / 64, "/" + "x".repeat(63));
        var request = new JobRequest(new Wish.Warm(paths, 4, Optional.empty(), false, Optional.empty()));
        assertThat(RequestLine.of(request).length()).isGreaterThan(COMMAND_LINE);
        try (var _ = Control.listen(directory.resolve("socket"), heard -> List.of(heard.equals(request) ? "1" : "0"))) {
            assertThat(Control.ask(directory.resolve("socket"), request)).isOne();
        }
    }

    @Test
    void oneThatIsTooLongIsRefused() throws IOException {
        try (var _ = Control.listen(directory.resolve("socket"), request -> List.of("heard"))) {
            assertThatThrownBy(() -> Control.ask(directory.resolve("socket"), new UnpinRequest("x".repeat(17 << 20))))
                    .isInstanceOf(IOException.class).hasMessageContaining("too long: at most 16777216 characters");
        }
    }

    /** Java takes 106 bytes for the path of a socket. */
    @Test
    void aHomeMayHaveALongPath() throws IOException {
        for (int length = Math.max(100, directory.toString().length() + 10); length <= 300;
                length += length < 110 ? 1 : 95) {
            var home = directory.resolve("x".repeat(length - directory.toString().length() - "//socket".length()));
            var socket = Files.createDirectories(home).resolve("socket");
            assertThat(socket.toString()).hasSize(length);
            try (var _ = Control.listen(socket, request -> List.of("7"))) {
                assertThat(Control.ask(socket, new PrefetchRequest(1))).isEqualTo(7);
            }
            assertThat(socket).doesNotExist();
        }
    }
}
