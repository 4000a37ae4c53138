package volsh.chunk;

import java.io.IOException;
import java.nio.ByteBuffer;
import volsh.fs.Loan;

/** Reads one file: what the metadata and the store say, and unwritten bytes laid over it. */
final class FileReads {
    /** Without a cache, less than this is copied faster than lent. */
    private static final int LENT_MIN = 512 << 10;

    private final long ino;
    private final Chunks chunks;
    private final ExtentView view;
    private final Windows windows;
    private final ReadsInFlight inFlight;

    FileReads(long ino, Chunks chunks, ExtentView view, Windows windows, ReadsInFlight inFlight) {
        this.inFlight = inFlight;
        this.ino = ino;
        this.chunks = chunks;
        this.view = view;
        this.windows = windows;
    }

    private BaseRead base() {
        return new BaseRead(ino, chunks, view);
    }

    /** Reads from {@code offset} until the target is full or the file ends; returns the bytes read. */
    int read(long offset, ByteBuffer target) throws IOException {
        while (true) {
            try (var overlay = windows.overlay(offset, offset + target.remaining())) {
                var slice = target.slice();
                int count = below(offset, slice, overlay);
                if (overlay.layOver(offset, slice, count)) {
                    target.position(target.position() + count);
                    return count;
                }
            }
        }
    }

    private int below(long offset, ByteBuffer target, Overlay overlay) throws IOException {
        int wanted = target.remaining();
        if (wanted == 0 || overlay.covers(offset, wanted)) {
            return wanted;
        }
        int epoch = inFlight.begin();
        try {
            return base().read(offset, target, overlay.end());
        } finally {
            inFlight.end(epoch);
        }
    }

    /** The same bytes without copying; null if they have to be read. */
    Loan lend(long offset, int length) throws IOException {
        if (offset < 0 || length < (chunks.cache().isOn() ? 1 : LENT_MIN)) {
            return null;
        }
        var overlay = windows.noneWithin(offset, offset + length);
        if (overlay == null) {
            return null;
        }
        var loan = lend(offset, length, overlay.end());
        if (loan != null && !overlay.isCurrent()) {
            loan.close();
            return null;
        }
        return loan;
    }

    private Loan lend(long offset, int length, long sizeMin) throws IOException {
        int epoch = inFlight.begin();
        try {
            return base().lend(offset, length, sizeMin);
        } finally {
            inFlight.end(epoch);
        }
    }

    /** Is it known that nothing is stored from {@code offset} on? */
    boolean endsBefore(long offset) {
        var segment = view.find(offset);
        return segment != null && segment.size() <= offset;
    }

    /** Loads what is stored of {@code [from, to)} into the cache; returns the bytes for which there was no room. */
    long prefetch(long from, long to) throws IOException {
        int epoch = inFlight.begin();
        try {
            return base().prefetch(from, to);
        } finally {
            inFlight.end(epoch);
        }
    }
}
