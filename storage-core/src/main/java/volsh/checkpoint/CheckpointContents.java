package volsh.checkpoint;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import volsh.checkpoint.Manifest.Entry;
import volsh.codec.CorruptBlockException;
import volsh.fs.Attributes;
import volsh.fs.ByteSource;
import volsh.fs.DamagedException;
import volsh.tensor.TensorFile;
import volsh.tensor.TensorFormatException;
import volsh.transfer.Observer;
import volsh.transfer.TransferThreads;
import volsh.transfer.TreeWalk;
import volsh.vfs.OpenFile;
import volsh.vfs.Vfs;

/** The content of a checkpoint's directory, compared with its manifest. */
final class CheckpointContents {
    private final Vfs vfs;
    private final int parallel;
    private final Observer observer;

    CheckpointContents(Vfs vfs, int parallel, Observer observer) {
        this.vfs = vfs;
        this.parallel = parallel;
        this.observer = observer;
    }

    /** The regular files below a directory, by path. */
    Map<String, Attributes> files(long directory) throws IOException {
        var files = new HashMap<String, Attributes>();
        new TreeWalk(vfs).below(directory, found -> {
            if (found.attributes().isRegular()) {
                files.put(found.path(), found.attributes());
            }
            return true;
        });
        return files;
    }

    /** All files with their digests, for a manifest; no bytes were stored for them. */
    List<Entry> entries(long directory) throws IOException {
        var entries = new ArrayList<Entry>();
        try (var crew = new TransferThreads(parallel)) {
            for (var file : files(directory).entrySet()) {
                crew.submit(() -> {
                    var entry = entry(file.getKey(), file.getValue());
                    synchronized (entries) {
                        entries.add(entry);
                    }
                });
            }
            crew.finish();
        }
        entries.sort(java.util.Comparator.comparing(Entry::path));
        return entries;
    }

    private Entry entry(String path, Attributes attributes) throws IOException {
        try (var open = vfs.open(attributes.ino())) {
            String digest = Digests.of(open, attributes.size(), observer, _ -> {});
            observer.done(1, attributes.size());
            boolean inline = attributes.size() <= vfs.inlineMax();
            return new Entry(path, attributes.size(), digest, 0, inline ? 0 : attributes.size(),
                    inline ? attributes.size() : 0);
        }
    }

    /** The difference between names and sizes in the volume and in the manifest; empty if there is none. */
    String sizes(long directory, Manifest manifest) throws IOException {
        var files = files(directory);
        for (Entry file : manifest.files()) {
            var stored = files.get(file.path());
            if (stored == null || stored.size() != file.size()) {
                return stored == null ? file.path() + " is missing"
                        : "%s has %d bytes, not %d".formatted(file.path(), stored.size(), file.size());
            }
        }
        return "";
    }

    /** Reads every file and returns those that differ from the manifest. */
    List<String> wrong(long directory, Manifest manifest) throws IOException {
        return read(directory, manifest, false).wrong();
    }

    /** Reads every file, and checks the structure of tensor files. */
    Verification verify(long directory, Manifest manifest) throws IOException {
        return read(directory, manifest, true);
    }

    private Verification read(long directory, Manifest manifest, boolean structure) throws IOException {
        var files = files(directory);
        var findings = new Findings();
        try (var crew = new TransferThreads(parallel)) {
            for (Entry file : manifest.files()) {
                crew.submit(() -> compare(file, files.get(file.path()), structure, findings));
            }
            crew.finish();
        }
        return findings.all();
    }

    /** Findings of several threads. */
    private static final class Findings {
        private final List<String> wrong = new ArrayList<>();
        private long unread;
        private long tensors;
        private long nans;
        private long infinities;
        private final List<String> unsound = new ArrayList<>();

        synchronized void wrong(String what) {
            wrong.add(what);
        }

        synchronized void unread(String what) {
            unread++;
            wrong.add(what);
        }

        synchronized void count(String path, TensorFile file, TensorScan scan) {
            scan.where().forEach(tensor -> unsound.add(path + ": " + tensor));
            tensors += file.count();
            nans += scan.nans();
            infinities += scan.infinities();
        }

        synchronized Verification all() {
            wrong.sort(null);
            unsound.sort(null);
            return new Verification(wrong, unread, tensors, nans, infinities, unsound);
        }
    }

    private void compare(Entry file, @Nullable Attributes stored, boolean structure, Findings findings)
            throws IOException {
        if (stored == null) {
            findings.wrong(file.path() + " (it is missing)");
            return;
        }
        try (var open = vfs.open(stored.ino())) {
            var tensors = structure ? tensors(file, open, findings) : Optional.<TensorFile>empty();
            var scan = tensors.map(found -> new TensorScan(found.tensors()));
            if (!Digests.of(open, stored.size(), observer, piece -> scan.ifPresent(one -> one.feed(piece)))
                    .equals(file.sha256())) {
                findings.wrong(file.path());
            } else if (scan.isPresent()) {
                findings.count(file.path(), tensors.get(), scan.get());
            }
            observer.done(1, file.size());
        } catch (InterruptedIOException cancelled) {
            throw cancelled;
        } catch (CorruptBlockException | DamagedException damaged) {
            findings.wrong("%s (%s)".formatted(file.path(), damaged.getMessage()));
        } catch (IOException unreadable) {
            findings.unread("%s (%s)".formatted(file.path(), unreadable.getMessage()));
        }
    }

    private static Optional<TensorFile> tensors(Entry file, OpenFile open, Findings findings) throws IOException {
        try {
            return TensorFile.read(file.path(), bytes(open, file.size()));
        } catch (TensorFormatException broken) {
            findings.wrong("%s (%s)".formatted(file.path(), broken.getMessage()));
            return Optional.empty();
        }
    }

    static ByteSource bytes(OpenFile file, long size) {
        return new ByteSource() {
            @Override
            public long size() {
                return size;
            }

            @Override
            public int read(long offset, ByteBuffer target) throws IOException {
                return file.read(offset, target);
            }
        };
    }
}
