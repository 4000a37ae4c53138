package volsh.transfer;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import volsh.fs.Owner;
import volsh.vfs.OpenFile;
import volsh.vfs.Pieces;
import volsh.vfs.Pieces.Counts;
import volsh.vfs.Pieces.Cut;
import volsh.vfs.Vfs;

/**
 * Fills files without a name from local ones, in pieces that are shared where the volume has them; see {@link Pieces}.
 */
public final class Sharing {
    /** Smaller files are copied without sharing. */
    public static final int SMALL = 64 << 10;

    private final Vfs vfs;
    private final TransferTally tally;
    private final Cutting cutting;
    private final Told told;
    private final Pieces pieces;

    /** Cuts a file into pieces: in order, none longer than {@code lengthMax}, without gaps. */
    public interface Cutting {
        List<Cut> cut(FileChannel file, long size, int lengthMax) throws IOException;
    }

    /** Looks at the bytes of files, and learns what became of them. Called by several threads, for different files. */
    public interface Told {
        /** A file is read now, perhaps once more: returns what takes its bytes, in order. */
        Consumer<ByteBuffer> reading(Path file);

        /** All bytes of the file were passed and it is in the volume, or another name of it is. */
        void file(Path file, Counts counts);
    }

    Sharing(Vfs vfs, TransferTally tally, Cutting cutting, Told told) throws IOException {
        this.vfs = vfs;
        this.tally = tally;
        this.cutting = cutting;
        this.told = told;
        this.pieces = new Pieces(vfs);
    }

    /** Counts a hard link to a copied file. */
    void linked(Path path, long size) {
        told.file(path, new Counts(0, size, 0, 0));
    }

    /** Like {@link Inflow#copy}. */
    boolean copy(Path path, FileChannel source, long size, long parent, int mode, Owner owner, Inflow.Placing placing)
            throws IOException {
        var cuts = cuts(source, size);
        try (var file = vfs.createUnnamed(parent, mode, owner)) {
            boolean placed = false;
            try {
                var counts = fill(file, cuts, source, told.reading(path));
                placed = placing.place(file, source.size());
                if (placed) {
                    told.file(path, counts);
                }
            } finally {
                if (!placed) {
                    file.truncate(0);
                }
            }
            return placed;
        }
    }

    private List<Cut> cuts(FileChannel source, long size) throws IOException {
        try {
            return cutting.cut(source, size, pieces.lengthMax());
        } catch (ClosedByInterruptException stop) {
            throw stop;
        } catch (IOException unreadable) {
            throw new UnreadableException(unreadable);
        }
    }

    private Counts fill(OpenFile file, List<Cut> cuts, FileChannel source, Consumer<ByteBuffer> inOrder)
            throws IOException {
        return pieces.fill(file, cuts, (offset, target) -> {
            tally.check();
            read(source, offset, target);
        }, bytes -> {
            tally.moved(bytes.remaining());
            inOrder.accept(bytes);
        });
    }

    private static void read(FileChannel source, long offset, ByteBuffer target) throws IOException {
        try {
            long at = offset;
            while (target.hasRemaining()) {
                int count = source.read(target, at);
                if (count < 0) {
                    throw new IOException("file was truncated while it was being copied");
                }
                at += count;
            }
        } catch (ClosedByInterruptException stop) {
            throw stop;
        } catch (IOException unreadable) {
            throw new UnreadableException(unreadable);
        }
    }
}
