package volsh.journal;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import volsh.block.BlockKey;
import volsh.block.BlockStore;
import volsh.block.Forwarding;
import volsh.block.NoSuchBlockException;
import volsh.block.UnavailableException;
import volsh.fs.Closeables;
import volsh.fs.NoSpaceException;
import volsh.journal.Uploads.Deletion;
import volsh.journal.Uploads.Upload;

/**
 * A store whose puts return when the block is in a journal on a local disk. From there background threads store it,
 * retrying until that succeeds; until then it is read from the journal. If the journal is full or its disk fails, a put
 * goes straight to the store: slower, and as safe. If that fails as well, there is no space left.
 */
public final class Staging implements Forwarding {
    private static final Logger LOG = System.getLogger("volsh.journal");
    private static final Duration DISK_PAUSE = Duration.ofSeconds(5);
    private static final long FIRST_PAUSE_MILLIS = 250;
    private static final long LONGEST_PAUSE_MILLIS = 15_000;

    private final BlockStore delegate;
    private final Optional<Packing> packing;
    private final Optional<Journal> own;
    private final StagingSettings settings;
    private final InstantSource clock;
    private final List<Journal> journals = new CopyOnWriteArrayList<>();
    private final Uploads uploads;
    private final List<Thread> threads = new ArrayList<>();
    private volatile Instant diskTriedAgain = Instant.MIN;
    private volatile boolean diskFull;
    private final AtomicBoolean misplaced = new AtomicBoolean();
    private volatile @Nullable Exception trouble;   // the last failure, or null; it counts while a failed block waits

    /** {@code own} takes new blocks; without one they go to the store, and only leftovers of others are stored. */
    public Staging(BlockStore delegate, Optional<Journal> own, StagingSettings settings, InstantSource clock) {
        this(delegate, Optional.empty(), own, settings, clock);
    }

    /** Small blocks are stored together, if {@code packing} is given. */
    public Staging(BlockStore delegate, Optional<Packing> packing, Optional<Journal> own, StagingSettings settings,
            InstantSource clock) {
        this.delegate = delegate;
        this.packing = packing;
        this.own = own;
        this.settings = settings;
        this.clock = clock;
        this.uploads = new Uploads(clock, packing.isPresent());
        own.ifPresent(journals::add);
    }

    /** Says which of these blocks may still be needed, with the number of the arrangement of each. */
    public interface Needed {
        Map<Long, Integer> of(Collection<Long> blocks) throws IOException;
    }

    /** Takes over what a dead process had staged, and drops blocks that were never committed or are deleted. */
    public void adopt(Journal left, Needed needed) throws IOException {
        var blocks = left.blocks();
        var wanted = needed.of(blocks);
        for (long block : blocks) {
            if (wanted.containsKey(block)) {
                uploads.add(block, wanted.get(block), left, left.length(block), 0);
            } else {
                left.remove(block);
            }
        }
        journals.add(left);
    }

    /** Starts storing in the background. */
    public void start(int count) {
        for (int i = 0; i < count; i++) {
            threads.add(Thread.ofPlatform().name("upload-" + i).daemon().start(this::work));
        }
    }

    @Override
    public BlockStore delegate() {
        return delegate;
    }

    // ---- what a volume does

    @Override
    public void put(BlockKey key, ByteBuffer data) throws IOException {
        var block = key.block();
        if (block.isEmpty() || own.isEmpty()) {
            delegate.put(key, data);
        } else if (!stage(own.get(), key, data)) {
            putStraight(own.get(), key, data);
        }
    }

    /** Programs handle a lack of space (ENOSPC), and continue when there is some; an outage alone would be EIO. */
    private void putStraight(Journal journal, BlockKey key, ByteBuffer data) throws IOException {
        try {
            delegate.put(key, data);
        } catch (UnavailableException away) {
            if (!diskFull && !isBeyondLimit(journal, data)) {
                throw away;
            }
            var full = new NoSpaceException("not enough space: the journal %s is full".formatted(journal.directory()),
                    away);
            throw new UnavailableException("%s, and the store is unavailable: %s".formatted(full.getMessage(),
                    away.getMessage()), full);
        }
    }

    private boolean isBeyondLimit(Journal journal, ByteBuffer data) {
        return journal.bytes() + data.remaining() > settings.limit();
    }

    private boolean stage(Journal journal, BlockKey key, ByteBuffer data) throws InterruptedIOException {
        long block = key.block().getAsLong();
        if (isBeyondLimit(journal, data) || clock.instant().isBefore(diskTriedAgain)) {
            return false;
        }
        try {
            journal.append(block, data);
            diskFull = false;
        } catch (InterruptedIOException stopped) {
            throw stopped;
        } catch (IOException failed) {
            watch();
            LOG.log(Level.WARNING, "cannot write the journal %s: blocks go straight to the store"
                    .formatted(journal.directory()), failed);
            diskTriedAgain = clock.instant().plus(DISK_PAUSE);
            diskFull = NoSpaceException.isBehind(failed);
            return false;
        }
        uploads.add(block, key.arrangement(), journal, data.remaining(), delayMillis(data.remaining()));
        return true;
    }

    /**
     * Checks whether the next process would find the staged blocks. If the journal was moved away or replaced,
     * everything is stored at once: until then, only this process has it.
     */
    public void watch() {
        if (own.filter(journal -> !journal.isInPlace()).isPresent() && misplaced.compareAndSet(false, true)) {
            LOG.log(Level.ERROR, ("the journal %s was moved away or replaced: storing its blocks at once, "
                    + "and new blocks go straight to the store")
                    .formatted(own.get().directory()));
            uploads.hurry();
        }
    }

    private Optional<StagingStatus.Trouble> trouble() {
        if (own.filter(journal -> !journal.isInPlace()).isPresent()) {
            return Optional.of(new StagingStatus.Trouble(
                    ("the journal %s was moved away or replaced: a process that starts now will not find its "
                            + "staged blocks")
                            .formatted(own.get().directory()), false));
        }
        return Optional.ofNullable(trouble).filter(last -> uploads.isFailing() && last.getMessage() != null)
                .map(last -> new StagingStatus.Trouble(String.valueOf(last.getMessage()),
                        NoSpaceException.isBehind(last)));
    }

    private long delayMillis(int length) {
        long delay = settings.delay().toMillis();
        return uploads.isSmall(length) ? Math.max(delay, settings.company().toMillis()) : delay;
    }

    @Override
    public int get(BlockKey key, long offset, ByteBuffer target) throws IOException {
        var block = key.block();
        if (block.isPresent()) {
            for (var journal : journals) {
                var read = journal.read(block.getAsLong(), offset, target);
                if (read.isPresent()) {
                    return read.get();
                }
            }
        }
        return delegate.get(key, offset, target);
    }

    @Override
    public void delete(BlockKey key) throws IOException {
        if (!cancelled(key)) {
            delegate.delete(key);
        }
    }

    @Override
    public void deleteAll(List<BlockKey> keys) throws IOException {
        var stored = new ArrayList<BlockKey>();
        for (var key : keys) {
            if (!cancelled(key)) {
                stored.add(key);
            }
        }
        if (!stored.isEmpty()) {
            delegate.deleteAll(stored);
        }
    }

    /** Whether the deletion needs nothing from the store. */
    private boolean cancelled(BlockKey key) throws IOException {
        var block = key.block();
        if (block.isEmpty()) {
            return false;
        }
        var deletion = uploads.delete(block.getAsLong());
        if (deletion != Deletion.FOLLOWS) {
            forget(block.getAsLong());
        }
        return deletion != Deletion.STORED;
    }

    private void forget(long block) throws IOException {
        for (var journal : journals) {
            journal.remove(block);
        }
    }

    // ---- in the background

    private void work() {
        ByteBuffer room = ByteBuffer.allocateDirect(0);
        try {
            for (var batch = uploads.take(); !batch.isEmpty(); batch = uploads.take()) {
                int length = length(batch);
                room = room.capacity() >= length ? room : ByteBuffer.allocateDirect(length);
                store(batch, room);
            }
        } catch (InterruptedException closing) {
            Thread.currentThread().interrupt();
        }
    }

    /** Stores one block that is due, or a pack of small ones, in this thread; false if none is. For tests. */
    public boolean storeOne() {
        var batch = uploads.poll();
        if (!batch.isEmpty()) {
            store(batch, ByteBuffer.allocateDirect(length(batch)));
        }
        return !batch.isEmpty();
    }

    private static int length(List<Upload> batch) {
        return batch.stream().mapToInt(upload -> upload.length).sum();
    }

    private void store(List<Upload> batch, ByteBuffer room) {
        if (batch.size() == 1) {
            store(batch.getFirst(), room);
        } else {
            storeTogether(batch, room);
        }
    }

    private void store(Upload upload, ByteBuffer room) {
        try {
            put(upload, upload.key(), room);
            finish(upload);
        } catch (IOException | RuntimeException failed) {
            postpone(upload, failed);
        }
    }

    /** The block is in the store. */
    private void finish(Upload upload) throws IOException {
        upload.journal.remove(upload.block);   // before it is done: drain then finds nothing staged
        if (uploads.done(upload)) {
            delegate.delete(upload.key());
        } else if (upload.journal.contains(upload.block)) {   // put again meanwhile
            uploads.add(upload.block, upload.arrangement, upload.journal, upload.length, 0);
        }
    }

    /** Blocks that cannot be read are left to be stored one by one. */
    private void storeTogether(List<Upload> batch, ByteBuffer room) {
        var items = new ArrayList<Packing.Item>();
        var loaded = new ArrayList<Upload>();
        int end = 0;
        for (var upload : batch) {
            try {
                if (upload.journal.load(upload.block, room.slice(end, upload.length)).isPresent()) {
                    items.add(new Packing.Item(upload.block, end, upload.length));
                    loaded.add(upload);
                    end += upload.length;
                } else {
                    finish(upload);
                }
            } catch (IOException | RuntimeException unreadable) {
                store(upload, ByteBuffer.allocateDirect(upload.length));
            }
        }
        if (!items.isEmpty()) {
            put(loaded, items, room.slice(0, end));
        }
    }

    private void put(List<Upload> batch, List<Packing.Item> items, ByteBuffer together) {
        try {
            packing.orElseThrow().put(batch.getFirst().journal.id(), items, together);
        } catch (IOException | RuntimeException failed) {
            batch.forEach(upload -> postpone(upload, failed));
            return;
        }
        for (var upload : batch) {
            try {
                finish(upload);
            } catch (IOException | RuntimeException failed) {
                postpone(upload, failed);
            }
        }
    }

    /** A damaged block may be a leftover of one that went straight to the store when the journal's disk failed. */
    private void put(Upload upload, BlockKey key, ByteBuffer room) throws IOException {
        try {
            var bytes = upload.journal.load(upload.block, room);
            if (bytes.isPresent()) {
                delegate.put(key, bytes.get());
            }
        } catch (DamagedEntryException damaged) {
            if (!isStored(key, upload.journal.length(upload.block))) {
                upload.journal.markDamaged(upload.block);
                throw damaged;
            }
        }
    }

    private boolean isStored(BlockKey key, int length) throws IOException {
        try {
            return delegate.get(key, length - 1, ByteBuffer.allocate(1)) == 1;
        } catch (NoSuchBlockException absent) {
            return false;
        }
    }

    private void postpone(Upload upload, Exception failed) {
        trouble = failed;
        long pause = Math.min(LONGEST_PAUSE_MILLIS, FIRST_PAUSE_MILLIS << Math.min(10, upload.failures()));
        if (upload.failures() == 0) {
            LOG.log(Level.WARNING, "storing block %016x failed; will retry".formatted(upload.block), failed);
        }
        try {
            if (!uploads.failed(upload, pause)) {
                upload.journal.remove(upload.block);
                delegate.delete(upload.key());
            }
        } catch (IOException left) {
            LOG.log(Level.WARNING, "block %016x may be left unused in the store".formatted(upload.block), left);
        }
    }

    // ---- status

    /** Since when this block waits; empty if it is in the store. */
    public Optional<Instant> stagedSince(long block) {
        return journals.stream().flatMap(journal -> journal.since(block).stream()).findFirst();
    }

    /** Whether nothing is staged. */
    public boolean isIdle() {
        return uploads.isIdle();
    }

    public StagingStatus status() {
        int blocks = journals.stream().mapToInt(journal -> journal.blocks().size()).sum();
        long bytes = journals.stream().mapToLong(Journal::bytes).sum();
        var oldest = journals.stream().flatMap(journal -> journal.oldest().stream()).min(Instant::compareTo);
        var damaged = journals.stream().flatMap(journal -> journal.damaged().stream()).toList();
        return new StagingStatus(blocks, bytes, oldest, trouble(), damaged);
    }

    /** Journals taken over in which nothing is staged any more; they are dropped here. */
    public List<Journal> finished() {
        var finished = journals.stream().filter(journal -> own.filter(journal::equals).isEmpty() && journal.isDone())
                .toList();
        journals.removeAll(finished);
        return finished;
    }

    public Stream<Journal> journals() {
        return journals.stream();
    }

    /** Stores everything now; false if something is left at the timeout. */
    public boolean drain(Duration longest) throws InterruptedIOException {
        try {
            return uploads.drain(longest.toMillis());
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while storing staged blocks");
        }
    }

    /** Stops storing; uploads in progress are finished first. Staged blocks stay in the journals, which are closed. */
    public void stop() throws IOException {
        uploads.close();
        try {
            for (var thread : threads) {
                thread.join();
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while storing staged blocks");
        }
        closeJournals();
    }

    private void closeJournals() throws IOException {
        Closeables.closeAll(journals, Journal::close);
    }

    @Override
    public void close() throws IOException {
        try (delegate) {
            stop();
        }
    }
}
