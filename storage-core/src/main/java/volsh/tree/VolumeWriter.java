package volsh.tree;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import volsh.fs.AttributeChange;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.vfs.OpenFile;
import volsh.vfs.Pieces;
import volsh.vfs.Vfs;

/**
 * Fills a file without a name, and gives it one in a single transaction. Bytes of another volume are stored in pieces
 * that are shared with those that this one has.
 */
final class VolumeWriter implements TreeWriter {
    private static final int MODE = 0644;

    private final Vfs vfs;
    private final long directory;
    private final Name name;
    private final NewEntry entry;
    private final Sharing sharing;
    private final OpenFile file;
    private boolean committed;

    /** One for all files of a volume. */
    interface Sharing {
        Pieces pieces() throws IOException;
    }

    VolumeWriter(Vfs vfs, long directory, Name name, Owner owner, NewEntry entry, Sharing sharing)
            throws IOException {
        this.vfs = vfs;
        this.directory = directory;
        this.name = name;
        this.entry = entry;
        this.sharing = sharing;
        this.file = vfs.createUnnamed(directory, entry.mode() < 0 ? MODE : entry.mode(), owner);
    }

    @Override
    public int part() {
        return 0;
    }

    @Override
    public boolean take(Bytes bytes) throws IOException {
        var pieces = sharing.pieces();
        int length = pieces.lengthMax();
        if (entry.size() <= length) {
            return false;
        }
        var cuts = new ArrayList<Pieces.Cut>();
        for (long at = 0; at < entry.size(); at += length) {
            cuts.add(new Pieces.Cut(at, (int) Math.min(length, entry.size() - at)));
        }
        pieces.fill(file, cuts, bytes::read, read -> { });
        return true;
    }

    /** Has the same bytes, in the same blocks, as a file of this volume. */
    void share(OpenFile original) throws IOException {
        original.copyTo(0, file, 0, entry.size());
        if (file.attributes().size() < entry.size()) {
            file.truncate(entry.size());        // it ends with a hole
        }
    }

    @Override
    public void write(long offset, ByteBuffer bytes) throws IOException {
        for (long at = offset; bytes.hasRemaining(); ) {
            at += file.write(at, bytes);
        }
    }

    @Override
    public void commit() throws IOException {
        file.flush();
        if (entry.modified() >= 0) {
            vfs.change(file.ino(), AttributeChange.NONE.withMtime(entry.modified()));
        }
        vfs.place(file, directory, name);
        committed = true;
    }

    @Override
    public void close() throws IOException {
        if (!committed) {
            file.truncate(0);   // else closing it would flush bytes that are not needed
        }
        file.close();
    }
}
