package volsh.shard.format;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import volsh.shard.Field;
import volsh.shard.Sample;
import volsh.shard.UnfitSampleException;

/** What every format demands of the names of a sample. */
final class SampleNames {
    /** What readers accept as well. */
    static final int FIELDS_MAX = 4096;

    private static final int NAME_MAX = 4096;

    private SampleNames() {}

    /** The key of a sample that has none. */
    static String number(long number) {
        var digits = Long.toString(number);
        return "0".repeat(Math.max(0, 8 - digits.length())) + digits;
    }

    static void requireFit(Sample sample) throws UnfitSampleException {
        if (sample.key().isEmpty()) {
            throw new UnfitSampleException("its key is empty");
        }
        requireText(sample.key());
        if (sample.fields().isEmpty()) {
            throw new UnfitSampleException("it has no fields");
        }
        for (var field : sample.fields()) {
            if (field.name().isEmpty()) {
                throw new UnfitSampleException("a file without an extension is no field of a sample");
            }
            requireText(field.name());
        }
        requireDistinct(sample.fields());
    }

    private static void requireDistinct(List<Field> fields) throws UnfitSampleException {
        if (fields.size() == 1) {
            return;
        }
        if (fields.size() > FIELDS_MAX) {
            throw new UnfitSampleException("it has more than %d fields".formatted(FIELDS_MAX));
        }
        var names = new HashSet<String>();
        for (var field : fields) {
            if (!names.add(field.name())) {
                throw new UnfitSampleException("it has two fields '%s'".formatted(field.name()));
            }
        }
    }

    private static void requireText(String name) throws UnfitSampleException {
        if (name.length() > NAME_MAX) {
            throw new UnfitSampleException("its name has more than %d characters".formatted(NAME_MAX));
        }
        boolean ascii = true;
        for (int i = 0; i < name.length(); i++) {
            if (name.charAt(i) == 0) {
                throw new UnfitSampleException("its name contains a zero byte");
            }
            ascii &= name.charAt(i) < 128;
        }
        if (!ascii && !StandardCharsets.UTF_8.newEncoder().canEncode(name)) {
            throw new UnfitSampleException("its name is not Unicode");
        }
    }
}
