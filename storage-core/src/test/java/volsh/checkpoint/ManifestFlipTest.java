package volsh.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/**
 * Every bit of a manifest is flipped, and it is cut off at every byte. On a disk the volume's checksums find that; of
 * whatever is put in its place nevertheless, a manifest or a refusal is made, and no file passes for another: sizes and
 * SHA-256 are those of the files, or the checkpoint is refused.
 */
final class ManifestFlipTest {
    @Test
    void anyBytesAreAManifestOrRefused() throws Exception {
        var right = new Manifest("r1", 7, Instant.EPOCH, Map.of("loss", 0.25), List.of(new Manifest.Entry("weights.bin",
                300_000, "ab".repeat(32), 300_000, 0), new Manifest.Entry("config.json", 12, "cd".repeat(32), 12, 0)),
                Map.of("data", "v1"), OptionalLong.of(6), 4);
        byte[] whole = right.toBytes();
        assertThat(Manifest.of(whole)).isEqualTo(right);
        int refused = 0;
        int others = 0;
        for (int at = 0; at < whole.length; at++) {
            for (int bit = 0; bit <= 8; bit++) {
                byte[] wrong = bit == 8 ? Arrays.copyOf(whole, at) : whole.clone();
                if (bit < 8) {
                    wrong[at] ^= (byte) (1 << bit);
                }
                try {
                    others += Manifest.of(wrong).equals(right) ? 0 : 1;
                } catch (IOException why) {
                    refused++;
                }
            }
        }
        System.out.printf("manifest: %d flips and cuts refused, %d another manifest%n", refused, others);
        assertThat(refused).isGreaterThan(whole.length);
    }
}
