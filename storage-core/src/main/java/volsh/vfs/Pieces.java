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
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import volsh.chunk.Chunks;
import volsh.chunk.PendingBlock;
import volsh.fs.BlockRow;
import volsh.fs.Digest;
import volsh.fs.Extent;
import volsh.meta.SharedBlocks;
import volsh.meta.SharedBlocks.Piece;

/**
 * Fills files with pieces. A piece that a block of the volume already holds is shared; any other is stored as a block
 * of its own, which later pieces share. Pieces too short for a block of their own are stored together. Zeros become
 * holes.
 *
 * <p>The thread that fills a file reads it in order, once, and passes each piece in its memory to threads that store
 * it. These are not the volume's threads for blocks: a task of those may wait for memory, and would wait for ever for
 * pieces that are queued behind it.
 */
public final class Pieces {
    /** Shorter pieces are stored together and never shared. */
    public static final int SHORT = 16 << 10;

    private static final int AT_A_TIME = 8;
    private static final int ATTEMPTS = 5;

    private final SharedBlocks shared;
    private final Chunks chunks;
    private final byte[] secret;
    private final ThreadPoolExecutor storing;

    public Pieces(Vfs vfs) throws IOException {
        this.shared = vfs.names().shared();
        this.chunks = vfs.chunks();
        this.secret = shared.secret();
        this.storing = new ThreadPoolExecutor(AT_A_TIME, AT_A_TIME, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>(),
                Thread.ofPlatform().daemon().name("pieces-", 0).factory());
        storing.allowCoreThreadTimeOut(true);
    }

    /** A run of a file's bytes. */
    public record Cut(long start, int length) {
        public long end() {
            return start + length;
        }
    }

    /** The bytes of a file. Read in order, except for pieces that are short or have to be stored again. */
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

    /**
     * Fills an empty file, which only this caller writes, with these pieces, in order and without gaps. {@code inOrder}
     * gets all bytes once, as they are read.
     */
    public Counts fill(OpenFile file, List<Cut> cuts, Source source, Consumer<ByteBuffer> inOrder) throws IOException {
        long size = cuts.isEmpty() ? 0 : cuts.getLast().end();
        var work = new Work(file, source);
        var pieces = work.store(cuts, false, inOrder);
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
        List<Piece> store(List<Cut> cuts, boolean anew, Consumer<ByteBuffer> inOrder) throws IOException {
            var tasks = new Tasks();
            try {
                var shorts = new ArrayList<Cut>();
                for (var cut : cuts) {
                    if (cut.length() < SHORT) {
                        pass(cut, inOrder);
                        shorts.add(cut);
                    } else if (!tasks.begin(() -> read(cut, inOrder), draft -> one(cut, draft, anew))) {
                        break;
                    }
                }
                for (var batch : batches(shorts)) {
                    tasks.begin(() -> chunks.draft(batch.stream().mapToInt(Cut::length).sum()),
                            draft -> together(batch, draft));
                }
            } catch (IOException | RuntimeException | Error failed) {
                tasks.failed(failed);
            }
            return tasks.end();
        }

        /** A long piece in memory of its own. */
        private PendingBlock read(Cut cut, Consumer<ByteBuffer> inOrder) throws IOException {
            var draft = chunks.draft(cut.length());
            try {
                long at = cut.start();
                for (var part : draft.bytes()) {   // still in the cache of the core when it is passed on
                    source.read(at, part.duplicate());
                    at += part.remaining();
                    inOrder.accept(part);
                }
                return draft;
            } catch (IOException | RuntimeException | Error failed) {
                draft.close();
                throw failed;
            }
        }

        /** A short piece: it is read again when it is stored, because its memory would be held until then. */
        private void pass(Cut cut, Consumer<ByteBuffer> inOrder) throws IOException {
            var bytes = ByteBuffer.allocate(cut.length());
            source.read(cut.start(), bytes);
            inOrder.accept(bytes.flip());
        }

        List<Piece> storeAgain(List<Piece> lost) throws IOException {
            for (var piece : lost) {
                sharing.add(-piece.extent().length());
            }
            return store(lost.stream().map(piece -> new Cut(piece.extent().start(), (int) piece.extent().length()))
                    .toList(), true, read -> { });
        }

        /** Short pieces that fill a block. */
        private List<List<Cut>> batches(List<Cut> shorts) {
            var batches = new ArrayList<List<Cut>>();
            int room = 0;
            for (var cut : shorts) {
                if (batches.isEmpty() || cut.length() > room) {
                    batches.add(new ArrayList<>());
                    room = lengthMax();
                }
                batches.getLast().add(cut);
                room -= cut.length();
            }
            return batches;
        }

        private List<Piece> one(Cut cut, PendingBlock draft, boolean anew) throws IOException {
            if (draft.bytes().stream().allMatch(Pieces::isZero)) {
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

        private List<Piece> together(List<Cut> cuts, PendingBlock draft) throws IOException {
            int at = 0;
            for (var cut : cuts) {
                long from = cut.start();
                int begin = at;
                at += cut.length();
                for (var part : draft.bytes(begin, at)) {
                    int length = part.remaining();
                    source.read(from, part);
                    from += length;
                }
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

        private void count(BlockRow row) {
            fresh.add(row.rawSize());
            stored.add(row.storedSize());
        }
    }

    private interface Reading {
        PendingBlock read() throws IOException;
    }

    private interface Storing {
        List<Piece> store(PendingBlock draft) throws IOException;
    }

    /** Pieces of a file that are being stored, a few at a time. */
    private final class Tasks {
        private final List<Piece> pieces = Collections.synchronizedList(new ArrayList<>());
        private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        private final Semaphore places = new Semaphore(AT_A_TIME);

        /** Reads here, when there is a place, and stores elsewhere; false, with nothing read, if a task has failed. */
        boolean begin(Reading reading, Storing storing) throws IOException {
            acquire(1);
            boolean begun = false;
            try {
                if (failure.get() != null) {
                    return false;
                }
                var draft = reading.read();
                Pieces.this.storing.execute(() -> store(draft, storing));
                begun = true;
                return true;
            } finally {
                if (!begun) {
                    places.release();
                }
            }
        }

        private void store(PendingBlock draft, Storing storing) {
            try (draft) {
                pieces.addAll(storing.store(draft));
            } catch (IOException | RuntimeException | Error failed) {
                failed(failed);
            } finally {
                places.release();
            }
        }

        void failed(Throwable failed) {
            failure.compareAndSet(null, failed);
        }

        /** Waits for running tasks, also when interrupted: they use the memory of this object. */
        private void acquire(int count) {
            try {
                places.acquire(count);
            } catch (InterruptedException stop) {
                failed(new InterruptedIOException("cancelled"));
                places.acquireUninterruptibly(count);
                Thread.currentThread().interrupt();
            }
        }

        /** The pieces, in order, when all tasks have ended. */
        List<Piece> end() throws IOException {
            acquire(AT_A_TIME);
            if (failure.get() != null) {
                pieces.stream().flatMap(piece -> piece.fresh().stream()).distinct().forEach(chunks::discard);
                rethrow(failure.get());
            }
            pieces.sort(Comparator.comparingLong(piece -> piece.extent().start()));
            return List.copyOf(pieces);
        }

        private void rethrow(Throwable failure) throws IOException {
            switch (failure) {
                case IOException failed -> throw failed;
                case RuntimeException failed -> throw failed;
                case Error failed -> throw failed;
                default -> throw new IOException(failure);
            }
        }
    }

    private Digest digest(List<ByteBuffer> parts) {
        try {
            var sha = MessageDigest.getInstance("SHA-256");
            sha.update(secret);
            parts.forEach(sha::update);
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
