package volsh.checkpoint;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import volsh.checkpoint.CheckpointDifference.Kind;
import volsh.checkpoint.Manifest.Entry;
import volsh.fs.Attributes;
import volsh.tensor.NumberType;
import volsh.tensor.Tensor;
import volsh.tensor.TensorFile;
import volsh.tensor.TensorFormatException;
import volsh.transfer.Observer;
import volsh.vfs.OpenFile;
import volsh.vfs.Vfs;

/** Compares two checkpoints by file, and tensor files by tensor. Files with equal digests are not read. */
final class Diff {
    private static final int PIECE = 1 << 20;

    private final Vfs vfs;
    private final Observer observer;
    private final ByteBuffer first = ByteBuffer.allocateDirect(PIECE);
    private final ByteBuffer second = ByteBuffer.allocateDirect(PIECE);
    private final List<CheckpointDifference> found = new ArrayList<>();

    Diff(Vfs vfs, Observer observer) {
        this.vfs = vfs;
        this.observer = observer;
    }

    /** A checkpoint: its manifest and its files. */
    record Side(Manifest manifest, Map<String, Attributes> files) {
        Attributes file(String path) throws IOException {
            var file = files.get(path);
            if (file == null) {
                throw new IOException(path + " is in the manifest, and not in the volume");
            }
            return file;
        }

        Map<String, Entry> entries() {
            var entries = new TreeMap<String, Entry>();
            manifest.files().forEach(file -> entries.put(file.path(), file));
            return entries;
        }
    }

    List<CheckpointDifference> run(Side before, Side after) throws IOException {
        var old = before.entries();
        var now = after.entries();
        var paths = new TreeSet<>(old.keySet());
        paths.addAll(now.keySet());
        for (String path : paths) {
            var was = old.get(path);
            var is = now.get(path);
            if (was != null && is == null) {
                found.add(new CheckpointDifference(path, "", Kind.REMOVED, was.size(), -1, was.size(), Double.NaN));
            } else if (was == null && is != null) {
                found.add(new CheckpointDifference(path, "", Kind.ADDED, -1, is.size(), is.size(), Double.NaN));
            } else if (was != null && is != null && was.isSame(is)) {
                found.add(new CheckpointDifference(path, "", Kind.SAME, was.size(), is.size(), 0, 0));
            } else {
                compare(path, before.file(path), after.file(path));
            }
        }
        return found;
    }

    private void compare(String path, Attributes before, Attributes after) throws IOException {
        try (var old = vfs.open(before.ino()); var now = vfs.open(after.ino())) {
            var oldTensors = tensors(path, old, before.size());
            var nowTensors = tensors(path, now, after.size());
            if (oldTensors.isEmpty() || nowTensors.isEmpty()) {
                var whole = new Tensor("", NumberType.UNKNOWN, List.of(), 0, before.size());
                found.add(compare(path, old, whole, now,
                        new Tensor("", NumberType.UNKNOWN, List.of(), 0, after.size())));
                return;
            }
            int place = found.size();
            long changed = tensors(path, old, byName(oldTensors.get()), now, byName(nowTensors.get()));
            found.add(place, new CheckpointDifference(path, "", Kind.CHANGED, before.size(), after.size(), changed,
                    Double.NaN));
        }
    }

    private long tensors(String path, OpenFile old, Map<String, Tensor> before, OpenFile now, Map<String, Tensor> after)
            throws IOException {
        long changed = 0;
        for (var tensor : before.values()) {
            if (!after.containsKey(tensor.name())) {
                found.add(new CheckpointDifference(path, tensor.name(), Kind.REMOVED, tensor.length(), -1,
                        tensor.length(), Double.NaN));
                changed += tensor.length();
            }
        }
        for (var tensor : after.values()) {
            var was = before.get(tensor.name());
            var difference = was == null ? new CheckpointDifference(path, tensor.name(), Kind.ADDED, -1,
                    tensor.length(), tensor.length(), Double.NaN)
                    : compare(path, old, was, now, tensor);
            found.add(difference);
            changed += difference.changed();
        }
        return changed;
    }

    private static Map<String, Tensor> byName(TensorFile file) {
        var tensors = new LinkedHashMap<String, Tensor>();
        file.tensors().forEach(tensor -> tensors.put(tensor.name(), tensor));
        return tensors;
    }

    private static Optional<TensorFile> tensors(String path, OpenFile file, long size) throws IOException {
        try {
            return TensorFile.read(path, CheckpointContents.bytes(file, size));
        } catch (TensorFormatException broken) {
            return Optional.empty();
        }
    }

    private CheckpointDifference compare(String path, OpenFile old, Tensor before, OpenFile now, Tensor after)
            throws IOException {
        long length = Math.min(before.length(), after.length());
        var type = before.type() == after.type() ? after.type() : NumberType.UNKNOWN;
        long changed = Math.abs(before.length() - after.length());
        double largest = 0;
        for (long at = 0; at < length; at += PIECE) {
            if (observer.cancelled()) {
                throw new InterruptedIOException("cancelled");
            }
            int count = (int) Math.min(PIECE, length - at);
            fill(old, before.start() + at, first.clear().limit(count));
            fill(now, after.start() + at, second.clear().limit(count));
            observer.done(0, count);
            if (first.flip().mismatch(second.flip()) >= 0) {
                changed += differing(count);
                largest = Math.max(largest, largest(type, count));
            }
        }
        boolean same = changed == 0 && before.length() == after.length();
        return new CheckpointDifference(path, after.name(), same ? Kind.SAME : Kind.CHANGED, before.length(),
                after.length(), changed, same ? 0 : type.isReal() ? largest : Double.NaN);
    }

    private static void fill(OpenFile file, long offset, ByteBuffer target) throws IOException {
        long at = offset;
        while (target.hasRemaining()) {
            int count = file.read(at, target);
            if (count == 0) {
                throw new IOException("the file was truncated while it was being compared");
            }
            at += count;
        }
    }

    private long differing(int count) {
        long differing = 0;
        for (int i = 0; i < count; i++) {
            differing += first.get(i) == second.get(i) ? 0 : 1;
        }
        return differing;
    }

    /** Infinite if exactly one of them is NaN. */
    private static double difference(double before, double after) {
        boolean same = Double.compare(before, after) == 0;
        return same ? 0 : Double.isNaN(before) || Double.isNaN(after) ? Double.POSITIVE_INFINITY
                : Math.abs(before - after);
    }

    private double largest(NumberType type, int count) {
        double largest = 0;
        if (type.isReal()) {
            for (int i = 0; i + type.bytes() <= count; i += type.bytes()) {
                largest = Math.max(largest, difference(type.real(first, i), type.real(second, i)));
            }
        }
        return largest;
    }
}
