package volsh.dataset;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import volsh.shard.Field;
import volsh.shard.Sample;

/**
 * The samples of a source, by key: which files each is made of, and its class. Made of whole numbers, sixteen bytes for
 * a sample, besides the table of files.
 */
public final class SampleTable {
    private final ScannedFiles files;
    private final DatasetDirectory source;
    private final SourceLayout layout;
    private final ClassMap classes;
    private int[] order;          // numbers of files, samples one behind the other
    private int[] starts;         // where each sample begins in order
    private int[] labels;         // the class of each sample; -1: none
    private int count;

    /** Groups the files. Those that can be no part of a sample go to {@code bad}. */
    public SampleTable(ScannedFiles files, DatasetDirectory source, SourceLayout layout, BadSamples bad) {
        this.files = files;
        this.source = source;
        this.layout = layout;
        this.classes = new ClassMap();
        this.order = files.order();
        this.starts = new int[order.length + 1];
        this.labels = new int[order.length];
        group(bad);
        int[] numbers = classes.sorted();
        for (int sample = 0; sample < count; sample++) {
            labels[sample] = labels[sample] < 0 ? -1 : numbers[labels[sample]];
        }
    }

    private void group(BadSamples bad) {
        int kept = 0;
        for (int from = 0, to; from < order.length; from = to) {
            var key = files.key(order[from]);
            for (to = from + 1; to < order.length && files.key(order[to]).equals(key); ) {
                to++;
            }
            int end = keep(key, from, to, kept, bad);
            if (end > kept) {
                labels[count] = classes.number(label(order[kept]));
                starts[count++] = kept;
                kept = end;
            }
        }
        order = Arrays.copyOf(order, kept);
        starts = Arrays.copyOf(starts, count + 1);
        starts[count] = kept;
        labels = Arrays.copyOf(labels, count);
    }

    /** Moves the files of a sample to their place; returns its end, or its beginning if the sample is bad. */
    private int keep(String key, int from, int to, int begin, BadSamples bad) {
        int end = begin;
        Set<String> fields = to - from > 1 ? new HashSet<>() : Set.of();
        for (int i = from; i < to; i++) {
            int file = order[i];
            if (layout == SourceLayout.IMAGE_FOLDER && files.path(file).indexOf('/') < 0) {
                bad.ignore(files.path(file));
                continue;
            }
            var reason = unusable(file, to - from > 1 && !fields.add(files.extension(file).toLowerCase(Locale.ROOT)));
            if (!reason.isEmpty()) {
                bad.add(files.path(file), reason);
            } else if (files.size(file) == 0) {
                bad.add(files.path(file), "empty");
                return begin;
            } else {
                order[end++] = file;
            }
        }
        return key.isEmpty() ? begin : end;
    }

    private String unusable(int file, boolean duplicate) {
        var path = files.path(file);
        return files.extension(file).isEmpty() ? "without an extension"
                : path.substring(path.lastIndexOf('/') + 1).startsWith(".") ? "without a name before the extension"
                : duplicate ? "duplicate key" : "";
    }

    private String label(int file) {
        var said = files.label(file);
        return !said.isEmpty() || layout != SourceLayout.IMAGE_FOLDER ? said
                : files.path(file).substring(0, files.path(file).indexOf('/'));
    }

    public int count() {
        return count;
    }

    /** The files of all samples. */
    public int files() {
        return order.length;
    }

    public ClassMap classes() {
        return classes;
    }

    public SourceLayout layout() {
        return layout;
    }

    public String key(int sample) {
        return files.key(order[starts[sample]]);
    }

    /** The bytes of its files. */
    public long size(int sample) {
        long size = 0;
        for (int i = starts[sample]; i < starts[sample + 1]; i++) {
            size += files.size(order[i]);
        }
        return size;
    }

    /** The fields of the first samples, for messages. */
    public List<String> fieldNames(int most) {
        var names = new java.util.TreeSet<String>();
        for (int i = 0; i < Math.min(most, order.length); i++) {
            names.add(files.extension(order[i]));
        }
        return List.copyOf(names);
    }

    /** The sample will soon be read. */
    public void willRead(int sample) {
        for (int i = starts[sample]; source.readsAhead() && i < starts[sample + 1]; i++) {
            int file = order[i];
            source.willRead(files.path(file), files.size(file), files.handle(file));
        }
    }

    /** The sample with fields that read its files when they are opened. */
    public Sample sample(int number) {
        var fields = new ArrayList<Field>(starts[number + 1] - starts[number] + 1);
        var key = "";
        var json = "";
        for (int i = starts[number]; i < starts[number + 1]; i++) {
            int file = order[i];
            var path = files.path(file);
            key = i == starts[number] ? files.key(file, path) : key;
            json = json.isEmpty() ? files.json(file) : json;
            fields.add(new SourceField(source, path, files.handle(file), ScannedFiles.extension(path),
                    files.size(file), number));
        }
        if (labels[number] >= 0 && fields.stream().noneMatch(field -> field.name().equals("cls"))) {
            fields.add(text("cls", Integer.toString(labels[number])));
        }
        if (!json.isEmpty() && fields.stream().noneMatch(field -> field.name().equals("json"))) {
            fields.add(text("json", json));
        }
        return new Sample(key, fields);
    }

    private static Field text(String name, String text) {
        return Field.of(name, text.getBytes(StandardCharsets.UTF_8));
    }

    /** A number that changes with any file, its size, its time, its key or its class. */
    public void digest(MessageDigest digest) throws IOException {
        var rows = ByteBuffer.allocate(1024 * (Long.BYTES + Integer.BYTES));
        for (int sample = 0; sample < count; sample++) {
            for (int i = starts[sample]; i < starts[sample + 1]; i++) {
                rows.putLong(files.fingerprint(order[i])).putInt(labels[sample]);
                if (!rows.hasRemaining()) {
                    digest.update(rows.flip());
                    rows.clear();
                }
            }
        }
        digest.update(rows.flip());
    }
}
