package volsh.shard.format;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import volsh.fs.ByteSource;
import volsh.shard.Field;
import volsh.shard.FormatOptions;
import volsh.shard.Sample;
import volsh.shard.SamplePosition;
import volsh.shard.SampleReader;
import volsh.shard.ShardFormat;

/** A shard in memory, and its samples as plain values: key → field → bytes as text of Latin-1. */
record TestShard(ShardFormat format, FormatOptions options, byte[] bytes, List<SamplePosition> positions) {
    static TestShard write(ShardFormat format, FormatOptions options, List<Sample> samples) throws IOException {
        var bytes = new ByteArrayOutputStream();
        var writer = Formats.writer(format, options, bytes);
        var positions = new ArrayList<SamplePosition>();
        for (var sample : samples) {
            positions.add(writer.add(sample));
        }
        writer.finish();
        return new TestShard(format, options, bytes.toByteArray(),
                positions.stream().map(each -> moved(each, writer.displacement())).toList());
    }

    private static SamplePosition moved(SamplePosition position, long by) {
        return new SamplePosition(position.key(), position.offset() + by, position.length(), position.fields().stream()
                .map(field -> new SamplePosition.FieldPosition(field.name(), field.offset() + by, field.length()))
                .toList());
    }

    static SamplePosition position(String key, long offset, long length) {
        return new SamplePosition(key, offset, length, List.of());
    }

    static Sample sample(String key, String... namesAndTexts) {
        var fields = new ArrayList<Field>();
        for (int i = 0; i < namesAndTexts.length; i += 2) {
            fields.add(Field.of(namesAndTexts[i], namesAndTexts[i + 1].getBytes(StandardCharsets.ISO_8859_1)));
        }
        return new Sample(key, fields);
    }

    SampleReader reader() throws IOException {
        return Formats.reader(format, options, source(bytes));
    }

    Map<String, Map<String, String>> read() throws IOException {
        return read(reader());
    }

    static Map<String, Map<String, String>> read(SampleReader reader) throws IOException {
        var all = new LinkedHashMap<String, Map<String, String>>();
        for (var sample = reader.next(); sample != null; sample = reader.next()) {
            all.put(sample.key(), texts(sample));
        }
        return all;
    }

    static Map<String, Map<String, String>> texts(List<Sample> samples) throws IOException {
        var all = new LinkedHashMap<String, Map<String, String>>();
        for (var sample : samples) {
            all.put(sample.key(), texts(sample));
        }
        return all;
    }

    static Map<String, String> texts(Sample sample) throws IOException {
        var texts = new LinkedHashMap<String, String>();
        for (var field : sample.fields()) {
            try (var in = field.open()) {
                texts.put(field.name(), new String(in.readAllBytes(), StandardCharsets.ISO_8859_1));
            }
        }
        return texts;
    }

    TestShard with(byte[] other) {
        return new TestShard(format, options, other, positions);
    }

    Path saveIn(Path directory) throws IOException {
        return Files.write(directory.resolve("test." + format.extension()), bytes);
    }

    /** What a program says; it must succeed. */
    static String run(String... command) throws IOException, InterruptedException {
        var process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        return output;
    }

    static ByteSource source(byte[] bytes) {
        return new ByteSource() {
            @Override
            public long size() {
                return bytes.length;
            }

            @Override
            public int read(long offset, ByteBuffer target) {
                int count = (int) Math.min(target.remaining(), bytes.length - offset);
                target.put(bytes, (int) offset, count);
                return count;
            }
        };
    }
}
