package volsh.bucketfs;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import volsh.cache.Answer;
import volsh.cache.FrameCache;
import volsh.cache.FrameKey;
import volsh.cache.FrameLease;
import volsh.cache.disk.DiskTier;
import volsh.object.ObjectChangedException;
import volsh.object.ObjectStore;

/**
 * Reads objects through a cache in memory and one on disks, in frames. Every request to the bucket names the ETag that
 * is expected, and cached frames belong to one state of an object, so that bytes of two states never meet. Frames on
 * disks have checksums, and begin with a tag that names what they are of.
 */
final class ObjectFrames {
    static final int FRAME = 128 << 10;
    /** Frames of one file of the cache on disks, and of one request. */
    static final int BLOCK_FRAMES = 32;
    private static final int TAG = 16;
    private static final int SPARES_MAX = 8;

    private final ObjectStore store;
    private final FrameCache memory;
    private final DiskTier disk;
    private final ConcurrentLinkedDeque<ByteBuffer> spares = new ConcurrentLinkedDeque<>();
    private final LongAdder gets = new LongAdder();
    private final LongAdder gotBytes = new LongAdder();

    ObjectFrames(ObjectStore store, FrameCache memory, DiskTier disk) {
        this.store = store;
        this.memory = memory;
        this.disk = disk;
    }

    /** An object in a certain state. */
    record Content(String key, ObjectState state, ContentId id) {
        static Content of(String key, ObjectState state) {
            return new Content(key, state, ContentId.of(key, state));
        }

        private long frames() {
            return (state.size() + FRAME - 1) / FRAME;
        }

        private int length(long frame) {
            return (int) Math.min(FRAME, state.size() - frame * FRAME);
        }

        private FrameKey key(long frame) {
            return new FrameKey(id.block(frame / BLOCK_FRAMES), (int) (frame % BLOCK_FRAMES));
        }
    }

    boolean isOn() {
        return memory.isOn();
    }

    long gets() {
        return gets.sum();
    }

    long gotBytes() {
        return gotBytes.sum();
    }

    /**
     * Reads until the target is full or the object ends; returns the bytes read.
     *
     * @throws ObjectChangedException if it is in another state now
     */
    int read(Content content, long offset, ByteBuffer target) throws IOException {
        int count = Math.clamp(content.state.size() - offset, 0, target.remaining());
        if (count == 0) {
            return 0;
        }
        long first = offset / FRAME;
        long last = (offset + count - 1) / FRAME;
        var answers = new ArrayList<Answer>();
        try (var leases = new Leases()) {
            var rooms = new ArrayList<Loading>();
            for (long frame = first; frame <= last; frame++) {
                var answer = memory.ask(content.key(frame), content.length(frame), content.length(frame));
                answers.add(answer);
                if (answer instanceof Answer.Missing(var room)) {
                    rooms.add(new Loading(frame, room));
                }
            }
            load(content, rooms);
            for (long frame = first; frame <= last; frame++) {
                copy(content, frame, offset, count, target, answers.get((int) (frame - first)), rooms, leases);
            }
        } catch (IOException | RuntimeException failed) {
            answers.forEach(ObjectFrames::release);
            throw failed;
        }
        answers.forEach(ObjectFrames::release);
        target.position(target.position() + count);
        return count;
    }

    private static void release(Answer answer) {
        switch (answer) {
            case Answer.Here(var lease) -> lease.close();
            case Answer.Missing(var room) -> room.close();
            default -> { }
        }
    }

    private void copy(Content content, long frame, long offset, int count, ByteBuffer target, Answer answer,
            List<Loading> rooms, Leases leases) throws IOException {
        long start = Math.max(offset, frame * FRAME);
        int length = (int) (Math.min(offset + count, (frame + 1) * FRAME) - start);
        var part = target.slice(target.position() + (int) (start - offset), length);
        FrameLease lease = switch (answer) {
            case Answer.Here(var here) -> here;
            case Answer.Missing _ -> leases.add(rooms.stream().filter(each -> each.frame == frame)
                    .findFirst().orElseThrow().lease);
            case Answer.Coming coming -> leases.add(coming.await());
            case Answer.Unwanted _ -> null;
        };
        if (lease == null) {
            get(content, start, part);
        } else {
            part.put(lease.bytes().slice((int) (start - frame * FRAME), length));
        }
    }

    /** Loads what is missing of these frames into memory, soon to be read. */
    void ahead(Content content, long from, long to) throws IOException {
        long end = Math.min(content.frames(), (to + FRAME - 1) / FRAME);
        var rooms = new ArrayList<Loading>();
        try (var leases = new Leases()) {
            for (long frame = from / FRAME; frame < end; frame++) {
                switch (memory.askAhead(content.key(frame), content.length(frame))) {
                    case Answer.Missing(var room) -> rooms.add(new Loading(frame, room));
                    case Answer.Here(var lease) -> lease.close();
                    default -> { }
                }
            }
            load(content, rooms);
            rooms.forEach(each -> leases.add(each.lease));
        } finally {
            rooms.forEach(each -> each.room.close());
        }
    }

    /** A frame that this thread has to load. */
    private static final class Loading {
        private final long frame;
        private final Answer.Room room;
        private @Nullable FrameLease lease;

        Loading(long frame, Answer.Room room) {
            this.frame = frame;
            this.room = room;
        }
    }

    /** Leases to be ended. */
    private static final class Leases implements AutoCloseable {
        private final List<FrameLease> all = new ArrayList<>();

        @Nullable FrameLease add(@Nullable FrameLease lease) {
            if (lease != null) {
                all.add(lease);
            }
            return lease;
        }

        @Override
        public void close() {
            all.forEach(FrameLease::close);
        }
    }

    /** Fills the rooms: neighbours of one block together, from disk and then from the bucket. */
    private void load(Content content, List<Loading> rooms) throws IOException {
        int from = 0;
        while (from < rooms.size()) {
            int to = from + 1;
            while (to < rooms.size() && rooms.get(to).frame == rooms.get(to - 1).frame + 1
                    && rooms.get(to).frame % BLOCK_FRAMES != 0) {
                to++;
            }
            loadRun(content, rooms.subList(from, to));
            from = to;
        }
    }

    private void loadRun(Content content, List<Loading> run) throws IOException {
        var scratch = scratch();
        try {
            if (disk.isOn()) {
                fromDisk(content, run, scratch);
            }
            int from = 0;
            while (from < run.size()) {
                int to = from;
                while (to < run.size() && run.get(to).lease == null) {
                    to++;
                }
                if (to > from) {
                    fromBucket(content, run.subList(from, to), scratch);
                }
                from = to + 1;
            }
        } finally {
            if (spares.size() < SPARES_MAX) {
                spares.push(scratch);
            }
        }
    }

    private ByteBuffer scratch() {
        var spare = spares.poll();
        return spare != null ? spare.clear() : ByteBuffer.allocateDirect(BLOCK_FRAMES * (FRAME + TAG));
    }

    private void fromDisk(Content content, List<Loading> run, ByteBuffer scratch) {
        long index = run.getFirst().frame / BLOCK_FRAMES;
        int[] lengths = run.stream().mapToInt(each -> content.length(each.frame) + TAG).toArray();
        boolean[] had = disk.read(content.id.block(index), (int) (run.getFirst().frame % BLOCK_FRAMES), lengths,
                scratch.clear());
        int at = 0;
        for (int i = 0; i < lengths.length; i++) {
            var stored = scratch.duplicate().clear().position(at).limit(at + lengths[i]);
            at += lengths[i];
            if (had[i] && content.id.isTag(index, stored)) {
                run.get(i).room.target().put(stored);
                run.get(i).lease = run.get(i).room.filled();
            }
        }
    }

    private void fromBucket(Content content, List<Loading> run, ByteBuffer scratch) throws IOException {
        long start = run.getFirst().frame * FRAME;
        long end = Math.min(content.state.size(), (run.getLast().frame + 1) * FRAME);
        var bytes = scratch.clear().limit((int) (end - start));
        get(content, start, bytes);
        for (var each : run) {
            int at = (int) (each.frame * FRAME - start);
            each.room.target().put(bytes.slice(at, content.length(each.frame)));
            each.lease = each.room.filled();
        }
        if (disk.isOn()) {
            offer(content, run, start, bytes);
        }
    }

    private void offer(Content content, List<Loading> run, long start, ByteBuffer bytes) {
        long index = run.getFirst().frame / BLOCK_FRAMES;
        var stored = new ByteBuffer[run.size()];
        for (int i = 0; i < stored.length; i++) {
            int length = content.length(run.get(i).frame);
            stored[i] = ByteBuffer.allocate(TAG + length);
            content.id.tag(index, stored[i]);
            stored[i].put(bytes.slice((int) (run.get(i).frame * FRAME - start), length)).flip();
        }
        int count = (int) Math.min(BLOCK_FRAMES, content.frames() - index * BLOCK_FRAMES);
        disk.offer(content.id.block(index), count, (int) (run.getFirst().frame % BLOCK_FRAMES), stored);
    }

    /** Fills the target from the bucket. */
    private void get(Content content, long offset, ByteBuffer target) throws IOException {
        int expected = target.remaining();
        gets.increment();
        int got = store.get(content.key, offset, target.duplicate(), content.state.expected());
        if (got < expected) {
            throw new ObjectChangedException(store.name(), content.key, content.state.etag());
        }
        gotBytes.add(expected);
    }
}
