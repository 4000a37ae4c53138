package volsh.transfer;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import volsh.codec.CorruptBlockException;
import volsh.fs.AttributeChange;
import volsh.fs.Attributes;
import volsh.fs.DamagedException;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.vfs.OpenFile;
import volsh.vfs.Vfs;

/**
 * Copies files and trees from volume to volume. Within one volume the copy shares the blocks, and no byte moves. A file
 * appears whole or not at all. Owners, modes, times and extended attributes are kept; so are hard links and holes.
 */
public final class Copying implements AutoCloseable {
    private final Vfs from;
    private final Vfs to;
    private final TransferTally tally;
    private final KeptAttributes kept;
    private final TransferThreads crew;
    private final Naming naming;
    private final Outflow outflow;
    private final List<NewDirectory> directories = new ArrayList<>();
    private final Map<Long, Waiting> firstNames = new HashMap<>();
    private final List<OtherName> otherNames = new ArrayList<>();
    private final Set<Long> placed = ConcurrentHashMap.newKeySet();
    private boolean updates;

    /** A file, its name in messages, and its target. */
    private record Waiting(String shown, Attributes source, long parent, Name name) {}

    private record OtherName(Waiting first, Waiting other) {}

    private record NewDirectory(long ino, Attributes source) {}

    /** {@code from} and {@code to} may be the same. */
    public Copying(Vfs from, Vfs to, int parallel, Observer observer) {
        this.from = from;
        this.to = to;
        this.tally = new TransferTally(observer);
        this.kept = new KeptAttributes(tally, true);
        this.crew = new TransferThreads(parallel);
        this.naming = new Naming(to);
        this.outflow = new Outflow(tally, parallel);
    }

    /** Skips files whose copy has the same size and modification time. */
    public Copying updating() {
        updates = true;
        return this;
    }

    /** Copies a file, link or tree to {@code name} in the directory. {@code shown} is its name in messages. */
    public void add(String shown, Attributes source, long parent, Name name) throws IOException {
        tally.check();
        try {
            if (source.isDirectory()) {
                addContents(shown, source, directory(source, parent, name));
            } else {
                addFile(new Waiting(shown, source, parent, name));
            }
        } catch (FsException refused) {
            tally.refused(shown, refused);
        }
    }

    /** Copies the contents of a directory into another, which may lie within it. */
    public void addContents(String shown, Attributes source, long target) throws IOException {
        var base = shown.endsWith("/") ? shown : shown + "/";
        var visitor = new TreeWalk.Visitor() {
            private final ArrayList<Long> stack = new ArrayList<>(List.of(target));

            @Override
            public boolean visit(Trail.Found found) throws IOException {
                tally.check();
                if (!found.attributes().isDirectory()) {
                    add(base + found.path(), found.attributes(), stack.getLast(), found.name());
                    return false;
                }
                boolean itself = from == to && found.attributes().ino() == target;
                return !itself && enter(found);
            }

            private boolean enter(Trail.Found found) throws IOException {
                try {
                    return stack.add(directory(found.attributes(), stack.getLast(), found.name()));
                } catch (FsException refused) {
                    tally.refused(base + found.path(), refused);
                    return false;
                }
            }

            @Override
            public void leave(Trail.Found found) {
                stack.removeLast();
            }
        };
        try {
            new TreeWalk(from).below(source.ino(), visitor);
        } catch (DamagedException damaged) {   // everything else is copied or submitted
            tally.failed(shown, damaged);
        }
    }

    private long directory(Attributes source, long parent, Name name) throws IOException {
        var folder = naming.directory(parent, name, source.mode(), owner(source));
        tally.directory();
        if (folder.created()) {
            directories.add(new NewDirectory(folder.ino(), source));
            kept.copy(from, source.ino(), to, folder.ino());
        }
        return folder.ino();
    }

    private boolean isUpToDate(Waiting file) throws IOException {
        try {
            var copy = to.lookup(file.parent(), file.name());
            return copy.isRegular() && file.source().isRegular() && copy.size() == file.source().size()
                    && copy.mtime() == file.source().mtime();
        } catch (FsException refused) {
            if (refused.error() != FsError.NO_ENTRY) {
                throw refused;
            }
            return false;
        }
    }

    private void skip(Waiting file) {
        if (file.source().links() > 1 && firstNames.putIfAbsent(file.source().ino(), file) == null) {
            placed.add(file.source().ino());
        }
        tally.skipped(file.source().size());
    }

    private void addFile(Waiting file) throws IOException {
        if (updates && isUpToDate(file)) {
            skip(file);
            return;
        }
        var first = file.source().links() > 1 ? firstNames.putIfAbsent(file.source().ino(), file) : null;
        if (first == null) {
            crew.submit(() -> copy(file));
        } else {
            otherNames.add(new OtherName(first, file));
        }
    }

    // ---- in the worker threads

    private void copy(Waiting file) throws IOException {
        var source = file.source();
        try {
            switch (source.kind()) {
                case REGULAR -> copyBytes(file);
                case SYMLINK -> copySymlink(file);
                default -> {
                    long node = naming.node(file.parent(), file.name(), source).ino();
                    kept.copy(from, source.ino(), to, node);
                    imitate(node, source);
                }
            }
            placed.add(source.ino());
            tally.file(source.isRegular() ? source.size() : 0);
        } catch (CorruptBlockException | DamagedException damaged) {
            tally.failed(file.shown(), damaged);
        } catch (FsException refused) {
            tally.refused(file.shown(), refused);
        }
    }

    private void copySymlink(Waiting file) throws IOException {
        byte[] target = from.readSymlink(file.source().ino());
        imitate(naming.symlink(file.parent(), file.name(), target, owner(file.source())).ino(), file.source());
    }

    private void copyBytes(Waiting file) throws IOException {
        try (var input = from.open(file.source().ino());
                var output = to.createUnnamed(file.parent(), file.source().mode(), owner(file.source()))) {
            boolean whole = false;
            try {
                fill(input, output);
                var source = input.attributes();
                to.change(output.ino(), times(source).withMode(source.mode()));
                kept.copy(from, source.ino(), to, output.ino());
                to.place(output, file.parent(), file.name());
                whole = true;
            } finally {
                if (!whole) {
                    output.truncate(0);   // else closing it would flush bytes that are not needed
                }
            }
        }
    }

    private void fill(OpenFile input, OpenFile output) throws IOException {
        var source = input.attributes();
        if (from == to) {
            tally.moved(input.copyTo(0, output, 0, source.size()));
        } else {
            outflow.copy(input, source, output::write);
            output.flush();
        }
        if (output.attributes().size() < source.size()) {
            output.truncate(source.size());
        }
    }

    private void imitate(long ino, Attributes source) throws IOException {
        to.change(ino, times(source));
    }

    private static AttributeChange times(Attributes source) {
        return AttributeChange.NONE.withAtime(source.atime()).withMtime(source.mtime());
    }

    private static Owner owner(Attributes source) {
        return new Owner(source.uid(), source.gid());
    }

    /** Waits for everything added; it then survives power loss. */
    public Summary finish() throws IOException {
        crew.finish();
        for (var name : otherNames) {
            tally.check();
            addOtherName(name.first(), name.other());
        }
        for (var directory : directories.reversed()) {
            kept.copyInherited(from, directory.source().ino(), to, directory.ino());
            imitate(directory.ino(), directory.source());
        }
        to.sync();
        return tally.summary();
    }

    private void addOtherName(Waiting first, Waiting other) throws IOException {
        if (!placed.contains(first.source().ino())) {
            copy(other);
            return;
        }
        try {
            naming.link(to.lookup(first.parent(), first.name()).ino(), other.parent(), other.name());
            tally.file(0);
        } catch (FsException refused) {
            tally.refused(other.shown(), refused);
        }
    }

    @Override
    public void close() {
        crew.close();
    }
}
