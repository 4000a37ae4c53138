package volsh.command.shard;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Spliterator;
import java.util.Spliterators.AbstractSpliterator;
import java.util.function.Consumer;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import volsh.command.Session;
import volsh.dataset.shards.SampleStream.Drawn;
import volsh.shard.Field;
import volsh.unit.ByteSize;

/** The rows of a stream of samples, as they are asked for. */
final class SampleRows {
    private static final int SHORT = 200;

    private final Session session;
    private final OpenSamples samples;
    private final int batch;
    private final boolean contents;

    SampleRows(Session session, OpenSamples samples, int batch, boolean contents) {
        this.session = session;
        this.samples = samples;
        this.batch = batch;
        this.contents = contents;
    }

    /** Closing the stream closes the samples. */
    Stream<SampleRow> stream(long limit) {
        var rows = new AbstractSpliterator<SampleRow>(Long.MAX_VALUE, Spliterator.ORDERED) {
            private long given;

            @Override
            public boolean tryAdvance(Consumer<? super SampleRow> action) {
                session.cancellation().check();
                var drawn = given++ < limit ? next() : null;
                if (drawn != null) {
                    action.accept(row(drawn));
                }
                return drawn != null;
            }
        };
        return StreamSupport.stream(rows, false).onClose(() -> {
            try {
                samples.close();
            } catch (IOException failed) {
                throw new UncheckedIOException(failed);
            }
        });
    }

    private @Nullable Drawn next() {
        try {
            return samples.next();
        } catch (Exception failed) {
            throw unchecked(failed);
        }
    }

    private static RuntimeException unchecked(Exception failed) {
        return failed instanceof RuntimeException known ? known
                : new UncheckedIOException(failed instanceof IOException io ? io : new IOException(failed));
    }

    private SampleRow row(Drawn drawn) {
        var sample = drawn.sample();
        return new SampleRow(drawn.position(), drawn.epoch(), batch == 0 ? null : drawn.position() / batch,
                sample.key(), sample.fields().stream().map(Field::name).toList(), new ByteSize(sample.size()),
                drawn.shard().shown(), contents ? contents(drawn) : Map.of());
    }

    private Map<String, String> contents(Drawn drawn) {
        var texts = new LinkedHashMap<String, String>();
        for (var field : drawn.sample().fields()) {
            try (var in = field.open()) {
                var bytes = in.readNBytes(SHORT + 1);
                in.transferTo(OutputStream.nullOutputStream());
                if (bytes.length <= SHORT && isText(bytes)) {
                    texts.put(field.name(), new String(bytes, StandardCharsets.UTF_8));
                }
            } catch (IOException failed) {
                throw unchecked(samples.named(failed));
            }
        }
        return texts;
    }

    private static boolean isText(byte[] bytes) {
        for (byte b : bytes) {
            if (b >= 0 && b < ' ' && b != '\n' && b != '\t' && b != '\r') {
                return false;
            }
        }
        return !new String(bytes, StandardCharsets.UTF_8).contains("\uFFFD");
    }
}
