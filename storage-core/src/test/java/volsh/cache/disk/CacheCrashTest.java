package volsh.cache.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static volsh.cache.disk.TierFixture.FRAMES;
import static volsh.cache.disk.TierFixture.ROOT;
import static volsh.cache.disk.TierFixture.frame;
import static volsh.cache.disk.TierFixture.offer;
import static volsh.cache.disk.TierFixture.read;
import static volsh.cache.disk.TierFixture.room;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import volsh.disk.SimulatedDisk;

/**
 * Power is lost at any moment, and nothing was ever synced: after a restart a frame is there with the right bytes, or
 * it is not there.
 */
@Tag("model")
@Tag("crash")
final class CacheCrashTest {
    private static final int CRASHES = Boolean.getBoolean("volsh.long") ? 10_000 : 150;
    private static final int BLOCKS = 12;

    @Test
    void neverAWrongByteAfterPowerLoss() throws IOException {
        long seed = new Random().nextLong();
        System.out.println("cache crash seed " + seed);
        var random = new Random(seed);
        long found = 0;
        long dropped = 0;
        long lies = 0;
        for (int crash = 0; crash < CRASHES; crash++) {
            var disk = new SimulatedDisk();
            var fixture = new TierFixture(disk, ROOT);
            disk.makeDirectories(ROOT);
            for (int life = 0; life < 2; life++) {
                disk.losePowerAtCall(10 + random.nextInt(600));   // 256 of them make or list directories
                live(fixture, random);
                disk.crash(random);
                lies += believing(disk);
                var tier = fixture.open(room(40_000));
                for (int block = 0; block < BLOCKS; block++) {
                    found += read(tier, block, 0, FRAMES);
                }
                dropped += tier.usage().getFirst().damaged();
            }
        }
        System.out.printf("%d crashes: %d frames read, %d damaged blocks dropped; without checksums %d wrong frames%n",
                2 * CRASHES, found, dropped, lies);
        assertThat(found).isGreaterThan(CRASHES / 2);
        assertThat(dropped).isGreaterThan(CRASHES / 10);
        assertThat(lies).as("negative control: somebody who does not check is lied to").isGreaterThan(CRASHES / 10);
    }

    private static void live(TierFixture fixture, Random random) {
        try (var tier = fixture.open(room(40_000))) {
            for (int i = 0; i < 40; i++) {
                long block = random.nextInt(BLOCKS);
                int first = random.nextInt(FRAMES);
                int count = 1 + random.nextInt(FRAMES - first);
                switch (random.nextInt(8)) {
                    case 0 -> tier.drop(block);
                    case 1, 2 -> read(tier, block, first, count);
                    default -> offer(tier, block, first, count);
                }
            }
        } catch (IOException powerWasLost) {
            // already while it was opened
        }
    }

    /** How many frames would be wrong for somebody who believes every table. */
    private static long believing(SimulatedDisk disk) throws IOException {
        long[] wrong = {0};
        var files = new BlockFiles(disk, ROOT);
        files.visit((block, size, _) -> {
            for (int frame = 0; frame < FRAMES; frame++) {
                wrong[0] += isWrong(files, block, frame) ? 1 : 0;
            }
        });
        return wrong[0];
    }

    private static boolean isWrong(BlockFiles files, long block, int frame) throws IOException {
        try (var file = files.open(block)) {
            var entry = files.form(block).entries(file, frame, 1)[0];
            if (entry == null) {
                return false;
            }
            var bytes = ByteBuffer.allocate(entry.length());
            int ignored = file.read(bytes, entry.position());
            return !bytes.rewind().equals(ByteBuffer.wrap(frame(block, frame)));
        } catch (BlockFile.DamagedException noTable) {
            return false;
        }
    }
}
