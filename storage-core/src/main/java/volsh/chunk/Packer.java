package volsh.chunk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BooleanSupplier;
import volsh.chunk.BlockWriter.BlockOwner;
import volsh.fs.BlockRow;
import volsh.fs.Extent;
import volsh.fs.Move;

/**
 * Stores many small files as one block. A file that is large enough starts a frame, so that it can be read without its
 * neighbours.
 */
public final class Packer {
    private static final int FRAME_MIN = 16 << 10;

    private final Chunks chunks;
    private final BlockWriter blocks;

    Packer(Chunks chunks) {
        this.chunks = chunks;
        this.blocks = chunks.blocks().writer();
    }

    /** A stored block and the extent of each piece. */
    public record Pack(BlockRow block, List<Extent> extents) {}

    /** Stores the pieces, none of them empty, as one block, with the layout of this directory. */
    public Pack pack(List<ByteBuffer> pieces, long directory) throws IOException {
        return pack(pieces, directory, blocks::write);
    }

    /** The same, in the store itself and never in a journal; {@code like} may be a file, too. */
    public Pack packLasting(List<ByteBuffer> pieces, long like) throws IOException {
        return pack(pieces, like, blocks::writeLasting);
    }

    private interface Writing {
        BlockRow write(long id, BlockOwner owner, ByteBuffer raw, int[] frameStarts) throws IOException;
    }

    private Pack pack(List<ByteBuffer> pieces, long directory, Writing writing) throws IOException {
        long id = chunks.table().newBlock();
        int total = pieces.stream().mapToInt(ByteBuffer::remaining).sum();
        var extents = new ArrayList<Extent>(pieces.size());
        try (var slab = blocks.room(total)) {
            var raw = slab.view(total);
            for (var piece : pieces) {
                extents.add(new Extent(0, piece.remaining(), id, raw.position()));
                raw.put(piece.duplicate());
            }
            return new Pack(writing.write(id, new BlockOwner(0, directory, 0), raw.flip(), starts(extents)), extents);
        }
    }

    private static int[] starts(List<Extent> files) {
        return files.stream().filter(file -> file.length() >= FRAME_MIN && file.offset() > 0)
                .mapToInt(file -> Math.toIntExact(file.offset())).toArray();
    }

    /** Deletes a pack that no file uses. */
    public void discard(Pack pack) throws IOException {
        blocks.delete(pack.block());
    }

    /** A part of a file that is stored: an extent and its block. */
    public record StoredPart(Extent extent, BlockRow block) {}

    /** A stored block, and for each file how its extents move there. */
    public record Repack(BlockRow block, List<List<Move>> moves) {}

    /**
     * Stores files again that have blocks, as one block with the layout of the file or directory {@code like}. The
     * block goes to the store itself, never to a journal, so bytes never become less safe. The files are read on
     * {@code readers}.
     *
     * @return empty, with nothing stored, if {@code stopped} says so on the way
     * @throws UnreadablePartException if files cannot be read; nothing is stored then
     */
    public Optional<Repack> repack(List<List<StoredPart>> files, long like, Executor readers,
            BooleanSupplier stopped) throws IOException {
        long id = chunks.table().newBlock();
        var moves = new ArrayList<List<Move>>();
        var places = new ArrayList<Extent>();
        long at = 0;
        for (var file : files) {
            var some = new ArrayList<Move>();
            long start = at;
            for (var part : file) {
                var from = part.extent();
                some.add(new Move(from, new Extent(from.start(), from.length(), id, at)));
                at += from.length();
            }
            moves.add(some);
            places.add(new Extent(0, at - start, id, start));
        }
        int total = Math.toIntExact(at);
        try (var slab = blocks.room(total)) {
            var reads = new ArrayList<FutureTask<Optional<IOException>>>();
            for (int i = 0; i < files.size(); i++) {
                int number = i;
                reads.add(new FutureTask<>(() -> stopped.getAsBoolean() ? Optional.empty()
                        : read(files.get(number), moves.get(number), slab)));
            }
            await(reads, readers);
            return stopped.getAsBoolean() ? Optional.empty() : Optional.of(new Repack(
                    blocks.writeLasting(id, new BlockOwner(0, like, 0), slab.view(total), starts(places)), moves));
        }
    }

    /** Some files among several cannot be read. */
    public static final class UnreadablePartException extends IOException {
        private static final long serialVersionUID = 1;

        private final transient List<Integer> numbers;

        private UnreadablePartException(List<Integer> numbers, IOException cause) {
            super(cause.getMessage(), cause);
            this.numbers = List.copyOf(numbers);
        }

        /** Which of them, from 0, ascending. */
        public List<Integer> numbers() {
            return numbers;
        }
    }

    /** Returns why the file cannot be read, if so. */
    private Optional<IOException> read(List<StoredPart> file, List<Move> moves, Slab slab) {
        try {
            for (int i = 0; i < file.size(); i++) {
                var from = file.get(i).extent();
                var to = moves.get(i).to();
                chunks.frames().read(chunks.blocks().reader().describe(file.get(i).block()),
                        Math.toIntExact(from.offset()),
                        slab.view(Math.toIntExact(to.offset()), Math.toIntExact(to.offset() + to.length())));
            }
            return Optional.empty();
        } catch (IOException unreadable) {
            return Optional.of(unreadable);
        }
    }

    /**
     * Runs all reads and waits for each, whatever fails: they write into memory that others use afterwards. Those that
     * the executor does not begin, as it is busy or closed, run here.
     */
    private static void await(List<FutureTask<Optional<IOException>>> reads, Executor readers) throws IOException {
        for (var read : reads) {
            try {
                readers.execute(read);
            } catch (RejectedExecutionException closed) {
                break;
            }
        }
        reads.forEach(FutureTask::run);
        IOException failed = null;
        var numbers = new ArrayList<Integer>();
        for (int i = 0; i < reads.size(); i++) {
            var failure = result(reads.get(i));
            if (failure.isPresent()) {
                failed = failure.get();
                numbers.add(i);
            }
        }
        if (failed != null) {
            throw new UnreadablePartException(numbers, failed);
        }
    }

    private static Optional<IOException> result(FutureTask<Optional<IOException>> read) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return read.get();
                } catch (InterruptedException stop) {
                    interrupted = true;
                } catch (ExecutionException broken) {
                    return Optional.of(new IOException(broken.getCause()));
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Commits moves of several files, see {@link #committing}. */
    public interface Commit<R> {
        R run(List<FileState> free) throws IOException;
    }

    /**
     * Runs a commit with those of these files that no other commit of this process changes at the moment: the others
     * are left out, so that this waits for no writer, and no writer waits long.
     */
    public <R> R committing(List<Long> inos, Commit<R> commit) throws IOException {
        var states = inos.stream().map(chunks::acquire).toList();
        var locked = states.stream().filter(FileState::tryLockCommits).toList();
        try {
            return commit.run(locked);
        } finally {
            locked.forEach(FileState::unlockCommits);
            states.forEach(chunks::release);
        }
    }
}
