package volsh.upkeep.check;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import volsh.block.BlockKey;
import volsh.block.BlockStore;
import volsh.block.NoSuchBlockException;
import volsh.codec.BlockCodec;
import volsh.codec.BlockIdentity;
import volsh.codec.CorruptBlockException;
import volsh.codec.FrameIndex;
import volsh.engine.Keys;
import volsh.fs.BlockRow;
import volsh.fs.ImportedBlock;
import volsh.inventory.Row;
import volsh.upkeep.StoppedException;
import volsh.upkeep.Watcher;

/** Reads blocks, a few at a time, and verifies them down to the decompression of every frame. */
final class DeepRead implements AutoCloseable {
    private static final int THREADS = 4;

    private final BlockStore store;
    private final ImportedObjectCheck imported;
    private final @Nullable PartCheck parts;   // null if there is one store
    private final UUID volume;
    private final Findings findings;
    private final Watcher watcher;
    private final @Nullable ExecutorService threads;   // null: nothing is read
    private final Semaphore waiting = new Semaphore(2 * THREADS);
    private final BlockCodec codec;
    private final ConcurrentLinkedQueue<ByteBuffer> memory = new ConcurrentLinkedQueue<>();
    private final AtomicReference<@Nullable IOException> trouble = new AtomicReference<>();

    DeepRead(StoredBlocks stored, UUID volume, Findings findings, boolean on, Watcher watcher) {
        this.store = stored.store();
        this.imported = stored.imported();
        this.parts = stored.parts().isEmpty() ? null : new PartCheck(stored, findings);
        this.volume = volume;
        this.codec = new BlockCodec(stored.encryption());
        this.findings = findings;
        this.watcher = watcher;
        this.threads = on ? Executors.newFixedThreadPool(THREADS,
                Thread.ofPlatform().name("check-", 0).daemon().factory()) : null;
    }

    /** Reads the block soon. @throws IOException if the store cannot be read at all */
    void read(BlockRow row, FilesOfBlock files) throws IOException {
        read(row, files, false);
    }

    /** Like {@link #read}, for a block on several stores: all its parts. */
    void readParts(BlockRow row, FilesOfBlock files) throws IOException {
        read(row, files, true);
    }

    private void read(BlockRow row, FilesOfBlock files, boolean spread) throws IOException {
        work(row, () -> {
            if (parts != null && spread) {
                parts.look(row, files, true);
            } else {
                verify(row, files);
            }
        });
    }

    /** Compares the object of an imported block with its row; reads no bytes. */
    void readImported(BlockRow row, FilesOfBlock files) throws IOException {
        work(row, () -> imported.difference(ImportedBlock.of(row)).ifPresent(difference -> findings.add(Finding.ofBlock(
                Damage.IMPORT_CHANGED, row.id(), difference, Keys.block(row.id()), 0, files))));
    }

    private interface Work {
        void run() throws IOException;
    }

    private void work(BlockRow row, Work work) throws IOException {
        if (threads == null) {
            return;
        }
        check();
        waiting.acquireUninterruptibly();
        threads.execute(() -> {
            try {
                work.run();
                watcher.advanced(row.storedSize());
            } catch (IOException failed) {
                trouble.compareAndSet(null, failed);
            } catch (RuntimeException failed) {
                trouble.compareAndSet(null, new IOException("cannot check block %016x".formatted(row.id()), failed));
            } finally {
                waiting.release();
            }
        });
    }

    private void check() throws IOException {
        if (trouble.get() != null) {
            throw trouble.get();
        }
        if (watcher.cancelled()) {
            throw new StoppedException();
        }
    }

    /** A damaged block is read again: it may have been damaged in transit. */
    private void verify(BlockRow row, FilesOfBlock files) throws IOException {
        try {
            verifyOnce(row);
        } catch (CorruptBlockException | NoSuchBlockException first) {
            try {
                verifyOnce(row);
            } catch (CorruptBlockException damaged) {
                findings.add(Finding.ofBlock(Damage.OBJECT_CORRUPT, row.id(), String.valueOf(damaged.getMessage()),
                        Row.from('b', row.id()), 0, files));
            } catch (NoSuchBlockException missing) {
                findings.add(Finding.ofBlock(Damage.OBJECT_MISSING, row.id(), "%d bytes".formatted(row.storedSize()),
                        Row.from('b', row.id()), 0, files));
            }
        }
    }

    private void verifyOnce(BlockRow row) throws IOException {
        var identity = new BlockIdentity(volume, row.id());
        int size = Math.toIntExact(row.storedSize());
        var room = memory.poll();
        if (room == null || room.capacity() < size) {
            room = ByteBuffer.allocateDirect(size);
        }
        try {
            verifyIn(room.clear().limit(size), identity, row);
        } finally {
            memory.add(room);
        }
    }

    private void verifyIn(ByteBuffer bytes, BlockIdentity identity, BlockRow row) throws IOException {
        int size = bytes.limit();
        int got = store.get(BlockKey.of(row.id()), 0, bytes);
        if (got < size) {
            throw new CorruptBlockException(identity, "truncated: %d of %d bytes".formatted(got, size));
        }
        var index = codec.verify(identity, bytes.flip());
        if (!index.equals(FrameIndex.parse(row.index()))) {
            throw new CorruptBlockException(identity, "its frames do not match its row");
        }
    }

    @Override
    public void close() throws IOException {
        if (threads != null) {
            threads.close();
            codec.close();
            check();
        } else {
            codec.close();
        }
    }
}
