package volsh.shard.format;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import volsh.shard.Field;
import volsh.shard.FormatOptions;
import volsh.shard.Sample;
import volsh.shard.ShardFormat;

/** Random samples, written and read back in order and by their positions. */
@Tag("model")
@Tag("data")
final class ShardRoundTripTest {
    private static final int[] SIZES = {0, 1, 511, 512, 513, 4096, 100_000, (1 << 20) - 512, 1 << 20, (1 << 20) + 1,
        3_000_000};
    private static final List<String> NAMES = List.of("jpg", "cls", "seg.png", "JSON5", "größe", "x".repeat(200));
    private static final int ROUNDS = Boolean.getBoolean("volsh.long") ? 500 : 6;

    @ParameterizedTest
    @EnumSource(names = {"WEBDATASET", "TFRECORD", "MDS", "RECORDS"})
    void everythingComesBack(ShardFormat format) throws IOException {
        long seed = Long.getLong("volsh.seed", System.nanoTime());
        System.out.printf("volsh.seed=%d %s%n", seed, format);
        for (int round = 0; round < ROUNDS; round++) {
            var random = new Random(seed + round);
            var samples = samples(random);
            var options = FormatOptions.DEFAULT.withEncodings(Map.of("cls", "bytes"));
            var shard = TestShard.write(format, options, samples);
            var contents = TestShard.texts(samples);
            assertThat(shard.read().equals(contents)).as("seed %d", seed + round).isTrue();
            inAnyOrder(shard, contents, random, seed + round);
        }
    }

    private static void inAnyOrder(TestShard shard, Map<String, Map<String, String>> contents, Random random, long seed)
            throws IOException {
        var reader = shard.reader();
        var held = new LinkedHashMap<String, Sample>();
        for (int i = 0; i < 10; i++) {
            var position = shard.positions().get(random.nextInt(shard.positions().size()));
            held.put(position.key(), reader.at(position));
            var next = reader.next();
            if (next != null) {
                held.put(next.key(), next);
            }
        }
        for (var sample : held.values()) {
            assertThat(TestShard.texts(sample).equals(contents.get(sample.key()))).as("seed %d", seed).isTrue();
        }
    }

    private static List<Sample> samples(Random random) {
        var names = new ArrayList<>(NAMES);
        Collections.shuffle(names, random);
        var fields = names.subList(0, 1 + random.nextInt(3));
        var samples = new ArrayList<Sample>();
        for (int i = 0; i < 12; i++) {
            var values = new ArrayList<Field>();
            for (String name : fields) {
                values.add(Field.of(name, name.equals("cls") ? Integer.toString(random.nextInt(2000) - 1000)
                        .getBytes(StandardCharsets.US_ASCII) : bytes(random)));
            }
            samples.add(new Sample(key(random) + i, values));
        }
        return samples;
    }

    private static byte[] bytes(Random random) {
        byte[] bytes = new byte[random.nextInt(10) == 0 ? SIZES[random.nextInt(SIZES.length)] : random.nextInt(2000)];
        random.nextBytes(bytes);
        return bytes;
    }

    private static String key(Random random) {
        return switch (random.nextInt(4)) {
            case 0 -> "a/b/";
            case 1 -> "日本/ü";
            case 2 -> "directory/".repeat(random.nextInt(40));
            default -> "n".repeat(1 + random.nextInt(150));
        };
    }
}
