package volsh.volume;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import volsh.block.StoreUrl;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.place.Policy;
import volsh.s3test.FaultProxy;
import volsh.s3test.Faults;
import volsh.s3test.S3Server;
import volsh.unit.ByteSize;
import volsh.vfs.Vfs;

/** A mirror over a bucket and another one whose server goes away under readers and writers: nobody sees an error. */
@Timeout(120)
final class PlacedBucketsTest {
    private static final int LENGTH = 300_000;

    @TempDir
    Path directory;

    @Test
    void aServerGoesAway() throws Exception {
        var volumes = new Volumes(Home.of(Map.of("VOLSH_HOME", directory.toString()), false), InstantSource.system(), Owner.ROOT);
        var server = S3Server.shared();
        var faults = Faults.ofAllKinds(1);
        faults.setRate(0);
        try (var proxy = new FaultProxy(server.port(), faults)) {
            volumes.addStore("near", url(server.newBucket(), server.endpoint()));
            volumes.addStore("far", url(server.newBucket(), proxy.endpoint()));
            volumes.create(VolumeDraft.named("v").withBlockSize(ByteSize.of("64KiB")).withSpread(Spread.of(List.of("near", "far"), Policy.of("mirror:2"))));
            var files = new ArrayList<byte[]>();
            try (var volume = volumes.open("v", Access.WRITE, "test")) {
                files.add(write(volume, 0));
                proxy.setDown(true);
                for (int i = 1; i < 4; i++) {
                    files.add(write(volume, i));
                    assertThat(read(volume, i - 1)).isEqualTo(files.get(i - 1));
                }
            }
            assertThat(volumes.spreading().redundancy("v").missing()).isPositive();
            proxy.setDown(false);
            try (var volume = volumes.open("v", Access.WRITE, "test"); var care = new BlockCare(volume, BlockCare.Watcher.NONE)) {
                assertThat(care.heal(Set.of()).repaired()).isPositive();
                assertThat(care.scrub(true, false).isClean()).isTrue();
                for (int i = 0; i < files.size(); i++) {
                    assertThat(read(volume, i)).isEqualTo(files.get(i));
                }
            }
            assertThat(volumes.spreading().redundancy("v").isWhole()).isTrue();
        }
    }

    private static StoreUrl url(String bucket, String endpoint) {
        return StoreUrl.of("s3://%s/p?endpoint=%s&anonymous=true&timeout=1500ms".formatted(bucket, endpoint));
    }

    private static byte[] write(Volume volume, int number) throws IOException {
        byte[] bytes = new byte[LENGTH];
        new Random(number).nextBytes(bytes);
        try (var file = volume.vfs().create(Vfs.ROOT, Name.of("f" + number), 0644, Owner.ROOT)) {
            file.write(0, ByteBuffer.wrap(bytes));
            file.flush();
        }
        return bytes;
    }

    private static byte[] read(Volume volume, int number) throws IOException {
        try (var file = volume.vfs().open(volume.paths().resolve("/f" + number).ino())) {
            var target = ByteBuffer.allocateDirect(LENGTH);
            while (target.hasRemaining() && file.read(target.position(), target) > 0) {
                // until all is there
            }
            byte[] bytes = new byte[target.position()];
            target.flip().get(bytes);
            return bytes;
        }
    }
}
