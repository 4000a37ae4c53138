package volsh.cache.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static volsh.cache.disk.TierFixture.ROOT;
import static volsh.cache.disk.TierFixture.room;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import volsh.disk.SimulatedDisk;

/** One block in the place of many, more than are let go of for one that comes by itself. */
final class CacheScaleTest {
    private static final int SMALL = 300;
    private static final int LENGTH = 4_000;
    private static final int FRAMES = 10;
    private static final int FRAME = 100_000;

    private static RetainedFrames keep(CacheDirectory tier, long block, int frames, int length, KeepRequest claim) {
        var lengths = new int[frames];
        Arrays.fill(lengths, length);
        return tier.upkeep().keep(block, frames, 0, lengths, ByteBuffer.allocate(frames * length), claim);
    }

    @Test
    void whatIsAskedForGetsTheRoomOfManySmallBlocks() throws IOException {
        var fixture = new TierFixture(new SimulatedDisk(), ROOT);
        try (var tier = fixture.open(room(SMALL * 5_000L))) {
            var first = tier.upkeep().claim(false);
            for (int i = 1; i <= SMALL; i++) {
                assertThat(keep(tier, i, 1, LENGTH, first)).isEqualTo(RetainedFrames.YES);
            }
            assertThat(keep(tier, 10_000, FRAMES, FRAME, tier.upkeep().claim(false))).isEqualTo(RetainedFrames.YES);
            assertThat(tier.usage().getFirst().bytes()).isLessThanOrEqualTo(SMALL * 5_000L);
        }
    }
}
