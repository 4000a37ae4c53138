package volsh.pack;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import volsh.block.BlockKey;
import volsh.block.BlockStore;
import volsh.codec.BlockCodec;
import volsh.codec.BlockIdentity;
import volsh.codec.Compression;
import volsh.codec.FrameEncryption;
import volsh.codec.FrameIndex;
import volsh.fs.BlockRow;
import volsh.inventory.Row;
import volsh.place.Placement;
import volsh.upkeep.dump.DumpLoader;

/**
 * Copies blocks of one volume into another: decoded and encoded anew, as a checksum says which volume a block belongs
 * to.
 */
public final class BlockCopy implements DumpLoader.Blocks, AutoCloseable {
    private static final int THREADS = 4;

    private final UUID from;
    private final BlockStore source;
    private final UUID to;
    private final BlockStore target;
    private final Compression compression;
    private final BlockCodec reading;
    private final BlockCodec writing;
    private final ExecutorService threads = Executors.newFixedThreadPool(THREADS,
            Thread.ofPlatform().name("copy-", 0).daemon().factory());
    private final ConcurrentLinkedQueue<Rooms> rooms = new ConcurrentLinkedQueue<>();

    /** Memory for one block on its way. */
    private static final class Rooms {
        private ByteBuffer source = ByteBuffer.allocateDirect(0);
        private ByteBuffer raw = source;
        private ByteBuffer target = source;
    }

    public BlockCopy(UUID from, BlockStore source, FrameEncryption theirs, UUID to, BlockStore target,
            FrameEncryption ours, Compression compression) {
        this.reading = new BlockCodec(theirs);
        this.writing = new BlockCodec(ours);
        this.from = from;
        this.source = source;
        this.to = to;
        this.target = target;
        this.compression = compression;
    }

    @Override
    public boolean stay() {
        return false;
    }

    @Override
    public Future<BlockRow> take(BlockRow row, Optional<Row.Place> place) {
        return threads.submit(() -> {
            var free = rooms.poll();
            var mine = free == null ? new Rooms() : free;
            try {
                return copy(mine, row, place);
            } finally {
                rooms.add(mine);
            }
        });
    }

    private BlockRow copy(Rooms mine, BlockRow row, Optional<Row.Place> place) throws IOException {
        var index = FrameIndex.parse(row.index());
        var stored = read(mine, row, index, place);
        mine.raw = room(mine.raw, index.rawSize());
        var raw = mine.raw.clear().limit(index.rawSize());
        var identity = new BlockIdentity(from, row.id());
        reading.verify(identity, stored);
        reading.decode(identity, index, 0, stored.duplicate().position(index.storedOffset(0)).slice(), 0,
                index.rawSize(), raw);
        int[] starts = new int[index.frameCount()];
        for (int i = 0; i < starts.length; i++) {
            starts[i] = index.rawOffset(i);
        }
        mine.target = room(mine.target, BlockCodec.maxStoredSize(index.rawSize(), starts.length));
        var block = writing.encode(new BlockIdentity(to, row.id()), compression, raw.flip(), starts,
                mine.target.clear());
        int size = block.index().storedSize();
        int layout = target instanceof Placement several ? several.choose(row.owner(), 0, size) : 0;
        target.put(BlockKey.of(row.id(), layout, size), block.stored());
        return new BlockRow(row.id(), index.rawSize(), size, layout, row.owner(), block.index().toBytes());
    }

    private ByteBuffer read(Rooms mine, BlockRow row, FrameIndex index, Optional<Row.Place> place) throws IOException {
        mine.source = room(mine.source, index.storedSize());
        var stored = mine.source.clear().limit(index.storedSize());
        var key = place.map(in -> PackWindows.key(in.pack()))
                .orElse(BlockKey.of(row.id(), row.layout(), row.storedSize()));
        int got = source.get(key, place.map(Row.Place::offset).orElse(0L), stored);
        if (got < index.storedSize()) {
            throw new IOException("block %016x has %d bytes in the store of the dump, not %d"
                    .formatted(row.id(), got, index.storedSize()));
        }
        return stored.flip();
    }

    private static ByteBuffer room(ByteBuffer there, int size) {
        return there.capacity() >= size ? there : ByteBuffer.allocateDirect(size);
    }

    @Override
    public void close() {
        threads.shutdownNow();
        threads.close();
        reading.close();
        writing.close();
    }
}
