package volsh.chunk;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import volsh.cache.Lease;

/** A range of a file as it lies in the cache, in pieces, to be sent on without copying. Close it when they are sent. */
public final class Loan implements AutoCloseable {
    private final List<ByteBuffer> pieces = new ArrayList<>();
    private final List<Lease> leases = new ArrayList<>();
    private int length;

    Loan() {}

    void add(Lease lease, int from, int count) {
        leases.add(lease);
        pieces.add(lease.bytes().slice(from, count));
        length += count;
    }

    /** Read-only, off-heap, in file order. Not to be used after close. */
    public List<ByteBuffer> pieces() {
        return pieces;
    }

    /** Bytes of all pieces together. */
    public int length() {
        return length;
    }

    @Override
    public void close() {
        leases.forEach(Lease::close);
        leases.clear();
        pieces.clear();
    }
}
