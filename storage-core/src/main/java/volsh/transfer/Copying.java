package volsh.transfer;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import volsh.fs.AttributeChange;
import volsh.fs.Attributes;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.vfs.OpenFile;
import volsh.vfs.Vfs;

/** Copies files and trees from volume to volume. Within one volume no byte moves: the copy shares the blocks. */
public final class Copying {
    private static final int BUFFER_BYTES = 4 << 20;

    private final Vfs from;
    private final Vfs to;
    private final Tally tally;
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);

    /** {@code from} and {@code to} may be the same. */
    public Copying(Vfs from, Vfs to, Observer observer) {
        this.from = from;
        this.to = to;
        this.tally = new Tally(observer);
    }

    /** Copies a file, link or tree to {@code name} in the directory. */
    public void tree(Attributes source, long parent, Name name) throws IOException {
        if (!source.isDirectory()) {
            one(source, parent, name);
            return;
        }
        var top = directory(source, parent, name);
        new Walk(from).below(source.ino(), new Walk.Visitor() {
            private final ArrayList<Attributes> targets = new ArrayList<>(List.of(top));
            private final ArrayList<Attributes> sources = new ArrayList<>();

            @Override
            public boolean visit(Walk.Found found) throws IOException {
                tally.check();
                if (found.attributes().ino() == top.ino() && from == to) {
                    return false;   // the copy lies within its source
                }
                if (found.attributes().isDirectory()) {
                    targets.add(directory(found.attributes(), targets.getLast().ino(), found.name()));
                    sources.add(found.attributes());
                } else {
                    one(found.attributes(), targets.getLast().ino(), found.name());
                }
                return true;
            }

            @Override
            public void leave(Walk.Found found) throws IOException {
                times(targets.removeLast().ino(), sources.removeLast());
            }
        });
        times(top.ino(), source);
    }

    private Attributes directory(Attributes source, long parent, Name name) throws IOException {
        tally.directory();
        try {
            return to.makeDirectory(parent, name, source.mode(), new Owner(source.uid(), source.gid()));
        } catch (FsException refused) {
            if (refused.error() != FsError.EXISTS) {
                throw refused;
            }
            var there = to.lookup(parent, name);
            if (!there.isDirectory()) {
                throw new FsException(FsError.NOT_DIRECTORY, name + ": " + FsError.NOT_DIRECTORY.text());
            }
            return there;
        }
    }

    private void times(long ino, Attributes source) throws IOException {
        to.change(ino, AttributeChange.NONE.withAtime(source.atime()).withMtime(source.mtime()));
    }

    private void one(Attributes source, long parent, Name name) throws IOException {
        tally.found(source.size());
        var owner = new Owner(source.uid(), source.gid());
        switch (source.kind()) {
            case REGULAR -> file(source, owner, parent, name);
            case SYMLINK -> {
                removeIfThere(parent, name);
                times(to.makeSymlink(parent, name, from.readSymlink(source.ino()), owner).ino(), source);
            }
            default -> {
                removeIfThere(parent, name);
                times(to.makeNode(parent, name, source.kind(), source.mode(), owner, source.device()).ino(), source);
            }
        }
        tally.file();
    }

    private void removeIfThere(long parent, Name name) throws IOException {
        try {
            to.unlink(parent, name);
        } catch (FsException refused) {
            if (refused.error() != FsError.NO_ENTRY) {
                throw refused;
            }
        }
    }

    private void file(Attributes source, Owner owner, long parent, Name name) throws IOException {
        try (var input = from.open(source.ino()); var output = to.createUnnamed(source.mode(), owner)) {
            if (from == to) {
                tally.bytes(input.copyTo(0, output, 0, source.size()));
            } else {
                copyBytes(input, output);
            }
            output.truncate(Math.max(source.size(), output.attributes().size()));
            to.change(output.ino(), AttributeChange.NONE.withMode(source.mode()).withAtime(source.atime()).withMtime(source.mtime()));
            to.place(output, parent, name);
        }
    }

    private void copyBytes(OpenFile input, OpenFile output) throws IOException {
        for (long offset = 0; input.read(offset, buffer.clear()) > 0; ) {
            tally.check();
            int count = output.write(offset, buffer.flip());
            offset += count;
            tally.bytes(count);
        }
        output.flush();
    }

    /** Makes everything copied survive power loss. */
    public Summary finish() throws IOException {
        to.sync();
        return tally.summary();
    }
}
