package volsh.assembly;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import volsh.block.StoreUrl;
import volsh.catalog.Access;
import volsh.hang.Eventually;
import volsh.lifecycle.AttachRequest;
import volsh.volume.Machine;

/** What a mount does every ten seconds, more often. */
@Tag("volume")
final class MetadataShippingTest {
    @TempDir
    Path directory;

    @Test
    @Timeout(300)
    void whatChangesIsShippedWhileTheVolumeStaysOpen() throws Exception {
        var url = StoreUrl.of(directory.resolve("bucket").toUri().toString());
        var first = new Machine(directory.resolve("first"));
        first.create("data", url);
        try (var open = first.volumes().open("data", Access.WRITE, "test");
                var tending = new MetadataShipping("data", open.shipping(), Duration.ofMillis(20),
                        new BackgroundTasks("data", InstantSource.system()))) {
            for (int i = 0; i < 3; i++) {
                Machine.write(open, "file-" + i, Machine.bytes(i, 10_000));
                Eventually.holds("it is shipped", () -> open.shipping().isShipped());
            }
            var second = new Machine(directory.resolve("second"));
            Eventually.holds("the user is seen",
                    () -> !second.volumes().attaching().attachable(url).getFirst().users().isEmpty());
            tending.stop();
            assertThat(second.volumes().attaching().attachable(url).getFirst().users()).hasSize(1);
        }
        var second = new Machine(directory.resolve("second"));
        second.volumes().attaching().attach(AttachRequest.of(url), AttachRequest.Watcher.NONE);
        assertThat(second.files("data")).hasSize(3);
    }
}
