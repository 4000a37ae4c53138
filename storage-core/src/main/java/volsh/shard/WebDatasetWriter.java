package volsh.shard;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Locale;
import volsh.shard.SamplePosition.FieldPosition;

/** Samples as adjacent members {@code KEY.FIELD} of a tar archive. */
final class WebDatasetWriter implements SampleWriter {
    private static final int NAME_MAX = 4096;

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

    private static String name(Sample sample, Field field) {
        return sample.key() + "." + field.name();
    }

    @Override
    public SamplePosition add(Sample sample) throws IOException {
        requireFit(sample);
        var out = tar.output();
        long start = out.begin(storedSize(sample));
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
    private static void requireFit(Sample sample) throws UnfitSampleException {
        String key = sample.key();
        int last = key.lastIndexOf('/') + 1;
        if (last == key.length()) {
            throw new UnfitSampleException("its key is empty or ends with a slash");
        }
        if (key.indexOf('.', last) >= 0) {
            throw new UnfitSampleException("its key has a dot after the last slash: the key of a tar member ends there");
        }
        if (sample.fields().isEmpty()) {
            throw new UnfitSampleException("it has no fields");
        }
        var names = new HashSet<String>();
        for (var field : sample.fields()) {
            requireFit(key, field.name());
            if (!names.add(field.name().toLowerCase(Locale.ROOT))) {
                throw new UnfitSampleException("it has two fields '%s'; WebDataset ignores case".formatted(field.name()));
            }
        }
    }

    private static void requireFit(String key, String field) throws UnfitSampleException {
        if (field.isEmpty()) {
            throw new UnfitSampleException("a file without an extension is no field of a sample");
        }
        if (field.indexOf('/') >= 0) {
            throw new UnfitSampleException("field '%s' has a slash in its name".formatted(field));
        }
        if (key.indexOf('\0') >= 0 || field.indexOf('\0') >= 0) {
            throw new UnfitSampleException("its name contains a zero byte");
        }
        if (key.length() + field.length() > NAME_MAX) {
            throw new UnfitSampleException("its name has more than %d characters".formatted(NAME_MAX));
        }
        if (!StandardCharsets.UTF_8.newEncoder().canEncode(key + "." + field)) {
            throw new UnfitSampleException("its name is not Unicode");
        }
    }

    @Override
    public void finish() throws IOException {
        tar.finish();
    }
}
