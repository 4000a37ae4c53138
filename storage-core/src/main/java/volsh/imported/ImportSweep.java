package volsh.imported;

import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import volsh.fs.DirectoryEntry;
import volsh.fs.FileKind;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.Name;
import volsh.meta.ImportState;
import volsh.meta.ImportedFiles;
import volsh.vfs.Vfs;

/**
 * Removes files of an import whose objects are gone, unless they were written to, and directories left empty by that.
 */
final class ImportSweep {
    private static final int PAGE = 64;

    private final Vfs vfs;
    private final ImportedFiles files;
    private final int source;
    private final KeySet seen;
    private final boolean dry;
    private final ImportListener listener;
    private long removed;
    private boolean stopped;

    ImportSweep(Vfs vfs, ImportedFiles files, int source, KeySet seen, boolean dry, ImportListener listener) {
        this.vfs = vfs;
        this.files = files;
        this.source = source;
        this.seen = seen;
        this.dry = dry;
        this.listener = listener;
    }

    /** False if it was stopped. */
    boolean run(long directory) throws IOException {
        sweep(directory);
        return !stopped;
    }

    /** Returns whether something was removed directly in it. */
    private boolean sweep(long directory) throws IOException {
        boolean any = false;
        Name after = null;
        for (var page = list(directory, after); !page.isEmpty(); page = list(directory, after)) {
            after = page.getLast().name();
            any |= sweepFiles(directory, page.stream().filter(each -> each.kind() == FileKind.REGULAR).toList());
            for (var entry : page) {
                stopped |= listener.stopped();
                if (stopped) {
                    return any;
                }
                if (entry.kind() == FileKind.DIRECTORY && sweep(entry.ino()) && !dry) {
                    any |= removeEmpty(directory, entry.name());
                }
            }
        }
        return any;
    }

    private List<DirectoryEntry> list(long directory, @Nullable Name after) throws IOException {
        return vfs.list(directory, after, PAGE);
    }

    private boolean sweepFiles(long directory, List<DirectoryEntry> entries) throws IOException {
        boolean any = false;
        var states = files.look(entries);
        for (int i = 0; i < entries.size(); i++) {
            var state = states.get(i);
            if (isGone(state) && (dry || files.remove(directory, entries.get(i).name(), state))) {
                removed++;
                any = true;
            }
        }
        return any;
    }

    private boolean isGone(ImportState state) {
        return state.key() != null && state.key().source() == source && !seen.contains(state.key().key());
    }

    private boolean removeEmpty(long parent, Name name) throws IOException {
        try {
            vfs.removeDirectory(parent, name);
            return true;
        } catch (FsException kept) {
            if (kept.error() == FsError.NOT_EMPTY || kept.error() == FsError.NO_ENTRY) {
                return false;
            }
            throw kept;
        }
    }

    long removed() {
        return removed;
    }
}
