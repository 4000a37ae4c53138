package volsh.chunk;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import volsh.cache.Lease;
import volsh.fs.Loan;

/** A range of a file out of leased frames. */
final class FrameLoan implements Loan {
    private final List<ByteBuffer> pieces = new ArrayList<>();
    private final List<Lease> leases = new ArrayList<>();
    private int length;

    void add(Lease lease, int from, int count) {
        leases.add(lease);
        pieces.add(lease.bytes().slice(from, count));
        length += count;
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
        leases.forEach(Lease::close);
        leases.clear();
        pieces.clear();
    }
}
