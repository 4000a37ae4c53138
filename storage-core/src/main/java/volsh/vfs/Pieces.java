package volsh.vfs;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import volsh.chunk.Chunks;
import volsh.fs.BlockRow;
import volsh.fs.Digest;
import volsh.fs.Extent;
import volsh.meta.SharedBlocks;
import volsh.meta.SharedBlocks.Piece;

/**
 * Fills files with pieces. A piece that a block of the volume already holds is shared; any other is stored as a block
 * of its own, which later pieces share. Pieces too short for a block of their own are stored together. Zeros become
 * holes.
 */
public final class Pieces {
    /** Shorter pieces are stored together and never shared. */
    public static final int SHORT = 16 << 10;

    private static final int AT_A_TIME = 8;
    private static final int ATTEMPTS = 5;

    private final SharedBlocks shared;
    private final Chunks chunks;
    private final byte[] secret;

    public Pieces(Vfs vfs) throws IOException {
        this.shared = vfs.names().shared();
        this.chunks = vfs.chunks();
        this.secret = shared.secret();
    }

    /** A run of a file's bytes. */
    public record Cut(long start, int length) {
        public long end() {
            return start + length;
        }
    }

    /** The bytes of a file. Called by several threads. */
    public interface Source {
        /** Fills the target. @throws IOException if the file is shorter */
        void read(long offset, ByteBuffer target) throws IOException;
    }

    /** Bytes of a file by what became of them: stored, shared, holes; and what the stored ones take in the store. */
    public record Counts(long fresh, long shared, long holes, long stored) {
        public static final Counts NONE = new Counts(0, 0, 0, 0);

        public Counts plus(Counts other) {
            return new Counts(fresh + other.fresh, shared + other.shared, holes + other.holes, stored + other.stored);
        }
    }

    /** The largest size of a piece. */
    public int lengthMax() {
        return chunks.settings().blockSize();
    }

    /** Fills an empty file, which only this caller writes, with these pieces, in order and without gaps. */
    public Counts fill(OpenFile file, List<Cut> cuts, Source source) throws IOException {
        long size = cuts.isEmpty() ? 0 : cuts.getLast().end();
        var work = new Work(file, source);
        var pieces = work.store(cuts, false);
        for (int attempt = 1; ; attempt++) {
            var laying = pieces;
            var laid = file.state().reshape(() -> shared.lay(file.ino(), laying, size));
            if (laid.lost().isEmpty()) {
                return work.counts(size);
            }
            if (attempt == ATTEMPTS) {
                throw new IOException(
                        "cannot share blocks: they were removed again on each of %d attempts".formatted(ATTEMPTS));
            }
            pieces = work.storeAgain(laid.lost());
        }
    }

    /** The pieces of one file. */
    private final class Work {
        private final OpenFile file;
        private final Source source;
        private final LongAdder fresh = new LongAdder();
        private final LongAdder sharing = new LongAdder();
        private final LongAdder stored = new LongAdder();

        Work(OpenFile file, Source source) {
            this.file = file;
            this.source = source;
        }

        Counts counts(long size) {
            return new Counts(fresh.sum(), sharing.sum(), size - fresh.sum() - sharing.sum(), stored.sum());
        }

        /**
         * Stores pieces in parallel; returns them in order. If one fails, the blocks stored for the others are removed.
         */
        List<Piece> store(List<Cut> cuts, boolean anew) throws IOException {
            var pieces = Collections.synchronizedList(new ArrayList<Piece>());
            var failure = new AtomicReference<@Nullable Throwable>();
            var places = new Semaphore(AT_A_TIME);
            for (var batch : batches(cuts)) {
                acquire(places, 1, failure);
                if (failure.get() != null) {
                    places.release();
                    break;
                }
                chunks.executor().execute(() -> {
                    try {
                        pieces.addAll(batch.size() == 1 && batch.getFirst().length() >= SHORT
                                ? one(batch.getFirst(), anew) : together(batch));
                    } catch (IOException | RuntimeException | Error failed) {
                        failure.compareAndSet(null, failed);
                    } finally {
                        places.release();
                    }
                });
            }
            acquire(places, AT_A_TIME, failure);
            if (failure.get() != null) {
                pieces.stream().flatMap(piece -> piece.fresh().stream()).distinct().forEach(chunks::discard);
                rethrow(failure.get());
            }
            pieces.sort(Comparator.comparingLong(piece -> piece.extent().start()));
            return List.copyOf(pieces);
        }

        /** Waits for running tasks, also when interrupted: they use the memory of this object. */
        private void acquire(Semaphore places, int count, AtomicReference<@Nullable Throwable> failure) {
            try {
                places.acquire(count);
            } catch (InterruptedException stop) {
                failure.compareAndSet(null, new InterruptedIOException("cancelled"));
                places.acquireUninterruptibly(count);
                Thread.currentThread().interrupt();
            }
        }

        private void rethrow(Throwable failure) throws IOException {
            switch (failure) {
                case IOException failed -> throw failed;
                case RuntimeException failed -> throw failed;
                case Error failed -> throw failed;
                default -> throw new IOException(failure);
            }
        }

        List<Piece> storeAgain(List<Piece> lost) throws IOException {
            for (var piece : lost) {
                sharing.add(-piece.extent().length());
            }
            return store(lost.stream().map(piece -> new Cut(piece.extent().start(), (int) piece.extent().length()))
                    .toList(), true);
        }

        /** Long pieces alone, short ones together. */
        private List<List<Cut>> batches(List<Cut> cuts) {
            var batches = new ArrayList<List<Cut>>();
            var shorts = new ArrayList<Cut>();
            int room = lengthMax();
            for (var cut : cuts) {
                if (cut.length() >= SHORT) {
                    batches.add(List.of(cut));
                } else if (cut.length() > 0) {
                    if (cut.length() > room) {
                        batches.add(List.copyOf(shorts));
                        shorts.clear();
                        room = lengthMax();
                    }
                    shorts.add(cut);
                    room -= cut.length();
                }
            }
            if (!shorts.isEmpty()) {
                batches.add(shorts);
            }
            return batches;
        }

        private List<Piece> one(Cut cut, boolean anew) throws IOException {
            try (var draft = chunks.draft(cut.length())) {
                source.read(cut.start(), draft.bytes());
                if (isZero(draft.bytes())) {
                    return List.of();
                }
                var digest = digest(draft.bytes());
                var known = anew ? Optional.<Long>empty() : shared.find(digest, cut.length());
                if (known.isPresent()) {
                    sharing.add(cut.length());
                    return List.of(new Piece(new Extent(cut.start(), cut.length(), known.get(), 0), Optional.of(digest),
                            Optional.empty()));
                }
                var row = draft.store(file.ino(), cut.start());
                count(row);
                return List.of(new Piece(new Extent(cut.start(), cut.length(), row.id(), 0), Optional.of(digest),
                        Optional.of(row)));
            }
        }

        private List<Piece> together(List<Cut> cuts) throws IOException {
            try (var draft = chunks.draft(cuts.stream().mapToInt(Cut::length).sum())) {
                var bytes = draft.bytes();
                int at = 0;
                for (var cut : cuts) {
                    source.read(cut.start(), bytes.slice(at, cut.length()));
                    at += cut.length();
                }
                var row = draft.store(file.ino(), cuts.getFirst().start());
                count(row);
                var pieces = new ArrayList<Piece>(cuts.size());
                at = 0;
                for (var cut : cuts) {
                    pieces.add(new Piece(new Extent(cut.start(), cut.length(), row.id(), at), Optional.empty(),
                            Optional.of(row)));
                    at += cut.length();
                }
                return pieces;
            }
        }

        private void count(BlockRow row) {
            fresh.add(row.rawSize());
            stored.add(row.storedSize());
        }
    }

    private Digest digest(ByteBuffer bytes) {
        try {
            var sha = MessageDigest.getInstance("SHA-256");
            sha.update(secret);
            sha.update(bytes);
            return new Digest(Arrays.copyOf(sha.digest(), Digest.BYTES));
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("every Java has SHA-256", impossible);
        }
    }

    private static boolean isZero(ByteBuffer bytes) {
        return bytes.get(0) == 0 && bytes.get(bytes.limit() - 1) == 0
                && bytes.slice(1, bytes.limit() - 1).mismatch(bytes.slice(0, bytes.limit() - 1)) < 0;
    }
}
