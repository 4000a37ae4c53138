package volsh.shard.format;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import volsh.fs.ByteSource;
import volsh.shard.Field;
import volsh.shard.FormatOptions;
import volsh.shard.Sample;
import volsh.shard.ShardFormat;

/** A field is never in memory as a whole. */
@Tag("data")
final class LargeFieldTest {
    private static final long SIZE = 32L << 20;

    /** Bytes of which all but the first and the last are known to be 0. */
    private static final class MostlyZeros extends OutputStream implements ByteSource {
        private static final int KEPT = 2 << 20;
        private final byte[] first = new byte[KEPT];
        private byte[] last = {};
        private long size;

        @Override
        public void write(int one) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void write(byte[] bytes, int from, int count) {
            int begin = (int) Math.min(count, Math.max(0, KEPT - size));
            System.arraycopy(bytes, from, first, (int) Math.min(size, KEPT), begin);
            if (size + count > SIZE) {
                int had = last.length;
                last = Arrays.copyOf(last, had + count);
                System.arraycopy(bytes, from, last, had, count);
            }
            size += count;
        }

        @Override
        public long size() {
            return size;
        }

        @Override
        public int read(long offset, ByteBuffer target) {
            int count = (int) Math.min(target.remaining(), size - offset);
            for (int i = 0; i < count; i++) {
                long at = offset + i;
                target.put(at < KEPT ? first[(int) at] : at >= size - last.length
                        ? last[(int) (at - size + last.length)] : 0);
            }
            return count;
        }
    }

    private record Zeros(String name, long size) implements Field {
        @Override
        public InputStream open() {
            return new InputStream() {
                private long left = size;

                @Override
                public int read() {
                    return left-- > 0 ? 0 : -1;
                }

                @Override
                public int read(byte[] target, int from, int length) {
                    int count = (int) Math.min(length, left);
                    Arrays.fill(target, from, from + count, (byte) 0);
                    left -= count;
                    return count == 0 ? -1 : count;
                }
            };
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"WEBDATASET", "TFRECORD", "RECORDS", "MDS"})
    void aFieldStreams(ShardFormat format) throws IOException {
        var shard = new MostlyZeros();
        long before = allocated();
        var writer = Formats.writer(format, FormatOptions.DEFAULT, shard);
        writer.add(new Sample("large", List.of(new Zeros("bin", SIZE))));
        writer.add(new Sample("small", List.of(new Zeros("bin", 3))));
        writer.finish();
        var reader = Formats.reader(format, FormatOptions.DEFAULT, shard);
        for (String key : List.of("large", "small")) {
            var sample = reader.next();
            assertThat(sample).isNotNull();
            assertThat(sample.key()).isEqualTo(key);
            try (var in = sample.fields().getFirst().open()) {
                assertThat(in.transferTo(OutputStream.nullOutputStream())).isEqualTo(sample.size());
            }
        }
        assertThat(reader.next()).isNull();
        assertThat(allocated() - before).isLessThan(SIZE / 2);
    }

    private static long allocated() {
        return ((ThreadMXBean) ManagementFactory.getThreadMXBean()).getCurrentThreadAllocatedBytes();
    }
}
