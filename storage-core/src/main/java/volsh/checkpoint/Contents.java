package volsh.checkpoint;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import volsh.checkpoint.Manifest.Entry;
import volsh.fs.Attributes;
import volsh.transfer.Crew;
import volsh.transfer.Observer;
import volsh.transfer.Walk;
import volsh.vfs.Vfs;

/** What the directory of a checkpoint holds, compared with its manifest. */
final class Contents {
    private final Vfs vfs;
    private final int parallel;
    private final Observer observer;

    Contents(Vfs vfs, int parallel, Observer observer) {
        this.vfs = vfs;
        this.parallel = parallel;
        this.observer = observer;
    }

    /** The regular files below a directory, by path. */
    Map<String, Attributes> files(long directory) throws IOException {
        var files = new HashMap<String, Attributes>();
        new Walk(vfs).below(directory, found -> {
            if (found.attributes().isRegular()) {
                files.put(found.path(), found.attributes());
            }
            return true;
        });
        return files;
    }

    /** What differs between names and sizes in the volume and the manifest; empty if nothing does. */
    String sizes(long directory, Manifest manifest) throws IOException {
        var files = files(directory);
        for (Entry file : manifest.files()) {
            var stored = files.get(file.path());
            if (stored == null || stored.size() != file.size()) {
                return stored == null ? file.path() + " is missing" : "%s has %d bytes, not %d".formatted(file.path(), stored.size(), file.size());
            }
        }
        return "";
    }

    /** Reads every file; those that are not what the manifest says. */
    List<String> wrong(long directory, Manifest manifest) throws IOException {
        var files = files(directory);
        var wrong = Collections.synchronizedList(new ArrayList<String>());
        try (var crew = new Crew(parallel)) {
            for (Entry file : manifest.files()) {
                crew.submit(() -> compare(file, files.get(file.path()), wrong));
            }
            crew.finish();
        }
        wrong.sort(null);
        return wrong;
    }

    private void compare(Entry file, Attributes stored, List<String> wrong) throws IOException {
        try (var open = vfs.open(stored.ino())) {
            if (!Digests.of(open, observer).equals(file.sha256())) {
                wrong.add(file.path());
            }
            observer.done(1, file.size());
        } catch (InterruptedIOException cancelled) {
            throw cancelled;
        } catch (IOException unreadable) {
            wrong.add("%s (%s)".formatted(file.path(), unreadable.getMessage()));
        }
    }
}
