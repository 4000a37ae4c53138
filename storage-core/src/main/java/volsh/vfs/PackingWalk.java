package volsh.vfs;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import volsh.fs.DirectoryEntry;
import volsh.fs.FileKind;
import volsh.fs.FsException;
import volsh.fs.Name;
import volsh.meta.Namespace;

/** Adds files to a packing in directory order: those of a directory by name, then its directories by name. */
final class PackingWalk {
    private static final int PAGE = 1000;

    private final Namespace names;
    private final FilePacking packing;
    private final PackingListener listener;

    PackingWalk(Namespace names, FilePacking packing, PackingListener listener) {
        this.names = names;
        this.packing = packing;
        this.listener = listener;
    }

    /** Adds a file, or the files of a directory and of everything below. */
    void add(long ino, boolean below) throws IOException {
        if (!names.attributes(ino).isDirectory()) {
            packing.add(List.of(ino));
            return;
        }
        Deque<Long> directories = new ArrayDeque<>(List.of(ino));
        while (!directories.isEmpty() && !listener.stopped()) {
            var found = files(directories.removeFirst());
            if (below) {
                found.reversed().forEach(directories::addFirst);
            }
        }
    }

    /** Adds the files of a directory; returns the directories in it. */
    private List<Long> files(long directory) throws IOException {
        var directories = new ArrayList<Long>();
        try {
            Name after = null;
            List<DirectoryEntry> page;
            do {
                page = names.list(directory, after, PAGE);
                page.stream().filter(entry -> entry.kind() == FileKind.DIRECTORY)
                        .forEach(entry -> directories.add(entry.ino()));
                packing.add(page.stream().filter(entry -> entry.kind() == FileKind.REGULAR)
                        .map(DirectoryEntry::ino).toList());
                after = page.isEmpty() ? null : page.getLast().name();
            } while (page.size() == PAGE && !listener.stopped());
        } catch (FsException gone) {
            // removed meanwhile
        }
        return directories;
    }
}
