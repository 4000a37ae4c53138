package volsh.chunk;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import volsh.cache.FrameLease;
import volsh.fs.Loan;

/** A range of a file in leased frames of the cache, or in fetched frames that are stored uncompressed. */
final class FrameLoan implements Loan {
    private final List<ByteBuffer> pieces = new ArrayList<>();
    private final List<FrameLease> leases = new ArrayList<>();
    private final List<Runnable> ends = new ArrayList<>();
    private final Lent[] recent = new Lent[3];
    private int added;
    private int length;

    /** A leased frame: it begins at {@code start} of its block. */
    private record Lent(long block, int start, FrameLease lease) {}

    /** Adds a part of a frame that begins at {@code start} of its block. */
    void add(long block, int start, FrameLease lease, int from, int count) {
        leases.add(lease);
        pieces.add(lease.bytes().slice(from, count));
        length += count;
        recent[slot(block)] = new Lent(block, start, lease);
    }

    /** A file that is composed of parts of two blocks in turn finds the last frame of each. */
    private int slot(long block) {
        for (int i = 0; i < recent.length; i++) {
            if (recent[i] != null && recent[i].block() == block) {
                return i;
            }
        }
        return added++ % recent.length;
    }

    /** Adds bytes of a block that are in a frame which was just added; false if they are not. */
    boolean addAgain(long block, int from, int to) {
        for (var lent : recent) {
            if (lent != null && lent.block() == block && lent.start() <= from
                    && to <= lent.start() + lent.lease().bytes().limit()) {
                pieces.add(lent.lease().bytes().slice(from - lent.start(), to - from));
                length += to - from;
                return true;
            }
        }
        return false;
    }

    void add(ByteBuffer piece) {
        pieces.add(piece);
        length += piece.remaining();
    }

    /** Runs {@code end} when the pieces are no longer used. */
    void atEnd(Runnable end) {
        ends.add(end);
    }

    @Override
    public List<ByteBuffer> pieces() {
        return pieces;
    }

    @Override
    public int length() {
        return length;
    }

    @Override
    public void close() {
        leases.forEach(FrameLease::close);
        leases.clear();
        ends.forEach(Runnable::run);
        ends.clear();
        pieces.clear();
    }
}
