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
    private int length;

    void add(FrameLease lease, int from, int count) {
        leases.add(lease);
        pieces.add(lease.bytes().slice(from, count));
        length += count;
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
