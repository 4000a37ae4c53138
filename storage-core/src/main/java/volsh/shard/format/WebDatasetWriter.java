package volsh.shard.format;

import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import volsh.shard.Field;
import volsh.shard.Sample;
import volsh.shard.SamplePosition;
import volsh.shard.SamplePosition.FieldPosition;
import volsh.shard.SampleWriter;
import volsh.shard.UnfitSampleException;

/** Samples as adjacent members {@code KEY.FIELD} of a tar archive. */
final class WebDatasetWriter implements SampleWriter {
    /** Headers, padding and a pax header without its name. */
    private static final int HEADERS_MAX = 5 * TarHeader.BLOCK;

    private final TarWriter tar;

    WebDatasetWriter(OutputStream target) {
        this.tar = new TarWriter(target);
    }

    static long storedSize(Sample sample) {
        long size = 0;
        for (var field : sample.fields()) {
            size += TarHeader.length(name(sample, field), field.size()) + TarHeader.padded(field.size());
        }
        return size;
    }

    /** Not less than {@link #storedSize}, and quick to find. */
    private static long sizeMax(Sample sample) {
        long size = 0;
        for (var field : sample.fields()) {
            size += field.size() + HEADERS_MAX + 4L * (sample.key().length() + field.name().length());
        }
        return size;
    }

    private static String name(Sample sample, Field field) {
        return sample.key() + "." + field.name();
    }

    @Override
    public SamplePosition add(Sample sample) throws IOException {
        requireFit(sample);
        var out = tar.output();
        long start = out.begin(sizeMax(sample));
        var fields = new ArrayList<FieldPosition>(sample.fields().size());
        try {
            for (var field : sample.fields()) {
                fields.add(new FieldPosition(field.name(), tar.add(name(sample, field), field), field.size()));
            }
        } catch (UnreadableFieldException failed) {
            throw out.takeBack(start, failed);
        }
        return new SamplePosition(sample.key(), start, out.position() - start, fields);
    }

    /** What a reader would not give back as it was. */
    static void requireFit(Sample sample) throws UnfitSampleException {
        SampleNames.requireFit(sample);
        int last = sample.key().lastIndexOf('/') + 1;
        if (last == sample.key().length()) {
            throw new UnfitSampleException("its key ends with a slash");
        }
        if (sample.key().indexOf('.', last) >= 0) {
            throw new UnfitSampleException("its key has a dot after the last slash, where the key of a member ends");
        }
        for (var field : sample.fields()) {
            if (field.name().indexOf('/') >= 0) {
                throw new UnfitSampleException("field '%s' has a slash in its name".formatted(field.name()));
            }
        }
        if (sample.fields().size() > 1) {
            requireDistinct(sample.fields());
        }
    }

    private static void requireDistinct(List<Field> fields) throws UnfitSampleException {
        var names = new HashSet<String>();
        for (var field : fields) {
            if (!names.add(field.name().toLowerCase(Locale.ROOT))) {
                throw new UnfitSampleException("it has two fields '%s'; WebDataset ignores case"
                        .formatted(field.name()));
            }
        }
    }

    @Override
    public void finish() throws IOException {
        tar.finish();
    }
}
