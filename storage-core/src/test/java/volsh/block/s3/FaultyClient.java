package volsh.block.s3;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import volsh.block.BlockKey;
import volsh.block.BlockStore;
import volsh.block.NoSuchBlockException;
import volsh.codec.BlockCodec;
import volsh.codec.BlockIdentity;
import volsh.codec.Compression;
import volsh.codec.CorruptBlockException;
import volsh.codec.FrameIndex;

/** Puts, reads, lists and deletes stored blocks of its own, and knows what must be there. */
final class FaultyClient {
    private static final UUID VOLUME = new UUID(4, 2);
    private static final int RAW_MAX = 12_000;
    private static final int REREADS = 20;

    private final BlockStore store;
    private final Random random;
    private final long firstId;
    private final BlockCodec codec = new BlockCodec();
    private final TreeMap<Long, Known> present = new TreeMap<>();
    private final List<Long> deleted = new ArrayList<>();
    private long nextId;
    private long puts;
    private long reads;
    private long deletes;
    private long listings;
    private long damaged;

    private record Known(ByteBuffer raw, FrameIndex index) {}

    /** What was done; {@code damaged} reads were refused by the frames and repeated. */
    record Counts(long puts, long reads, long deletes, long listings, long damaged) {}

    FaultyClient(BlockStore store, int number, long seed) {
        this.store = store;
        this.random = new Random(seed);
        this.firstId = (long) number << 32;
        this.nextId = firstId;
    }

    void run(BooleanSupplier more) {
        try {
            while (more.getAsBoolean()) {
                step();
            }
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private void step() throws IOException {
        int dice = random.nextInt(100);
        if (present.size() < 3 || dice < 35) {
            put();
        } else if (dice < 85) {
            read(any());
        } else if (dice < 97) {
            delete(dice < 90 ? List.of(any()) : List.of(present.firstKey(), present.lastKey()));
        } else {
            list();
        }
    }

    private long any() {
        var keys = new ArrayList<>(present.keySet());
        return keys.get(random.nextInt(keys.size()));
    }

    private static BlockKey key(long id) {
        String hex = "%016x".formatted(id);
        return new BlockKey("client-%s/%s".formatted(hex.substring(0, 8), hex));
    }

    private void put() throws IOException {
        long id = nextId++;
        var raw = ByteBuffer.allocateDirect(1 + random.nextInt(RAW_MAX));
        for (int i = 0; i < raw.limit(); i++) {
            raw.put(i, (byte) random.nextInt());
        }
        int[] frames = raw.limit() > 4096 ? new int[] {0, 4096} : new int[] {0};
        var room = ByteBuffer.allocateDirect(BlockCodec.maxStoredSize(raw.limit(), frames.length));
        var block = codec.encode(new BlockIdentity(VOLUME, id), new Compression.None(), raw, frames, room);
        store.put(key(id), block.stored());
        present.put(id, new Known(raw, block.index()));
        puts++;
    }

    /** Reads all frames or one of them; a frame that does not verify is read again, as one that does must be right. */
    private void read(long id) throws IOException {
        var known = present.get(id);
        int frame = random.nextInt(known.index().frameCount());
        boolean whole = random.nextBoolean();
        int from = known.index().rawOffset(whole ? 0 : frame);
        int to = whole ? known.index().rawSize() : from + known.index().rawLength(frame);
        for (int attempt = 1; ; attempt++) {
            try {
                var raw = decoded(id, known.index(), whole ? 0 : frame, from, to);
                assertThat(raw.mismatch(known.raw().slice(from, to - from))).as("wrong byte of %s", key(id))
                        .isEqualTo(-1);
                reads++;
                return;
            } catch (CorruptBlockException flipped) {
                damaged++;
                assertThat(attempt).as("%s stays damaged: %s", key(id), flipped.getMessage()).isLessThan(REREADS);
            }
        }
    }

    private ByteBuffer decoded(long id, FrameIndex index, int first, int from, int to) throws IOException {
        int last = index.frameAt(to - 1);
        int offset = index.storedOffset(first);
        var stored = ByteBuffer.allocateDirect(index.storedOffset(last) + index.storedLength(last) - offset);
        assertThat(store.get(key(id), offset, stored)).isEqualTo(stored.capacity());
        var raw = ByteBuffer.allocateDirect(to - from);
        codec.decode(new BlockIdentity(VOLUME, id), index, first, stored.flip(), from, to, raw);
        return raw.flip();
    }

    private void delete(List<Long> ids) throws IOException {
        if (ids.size() == 1) {
            store.delete(key(ids.getFirst()));
        } else {
            store.deleteAll(ids.stream().map(FaultyClient::key).toList());
        }
        ids.forEach(present::remove);
        deleted.addAll(ids);
        deletes++;
    }

    private void list() throws IOException {
        try (var listed = store.list("client-%s/".formatted("%016x".formatted(firstId).substring(0, 8)))) {
            assertThat(listed.map(each -> each.key()).toList())
                    .containsExactlyElementsOf(present.keySet().stream().map(FaultyClient::key).toList());
        }
        listings++;
    }

    /** Everything acknowledged is there, everything deleted is not. */
    void verifyAll() throws IOException {
        for (long id : present.keySet()) {
            read(id);
        }
        for (long id : deleted) {
            try {
                store.get(key(id), 0, ByteBuffer.allocate(1));
                throw new AssertionError("deleted, but there: " + key(id));
            } catch (NoSuchBlockException right) {
                continue;
            }
        }
        list();
        codec.close();
    }

    static Counts sum(List<FaultyClient> clients) {
        return clients.stream()
                .map(each -> new Counts(each.puts, each.reads, each.deletes, each.listings, each.damaged))
                .reduce(new Counts(0, 0, 0, 0, 0), (a, b) -> new Counts(a.puts + b.puts, a.reads + b.reads,
                        a.deletes + b.deletes, a.listings + b.listings, a.damaged + b.damaged));
    }
}
