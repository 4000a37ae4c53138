package volsh.volume;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.UUID;
import volsh.block.BlockKey;
import volsh.block.BlockStore;
import volsh.codec.BlockCodec;
import volsh.codec.BlockIdentity;
import volsh.codec.Compression;
import volsh.codec.FrameIndex;
import volsh.fs.BlockRow;
import volsh.meta.Row;
import volsh.upkeep.Load;

/** Copies blocks of one volume into another: decoded and encoded anew, as a checksum says which volume a block belongs to. */
final class BlockCopy implements Load.Blocks, AutoCloseable {
    private final UUID from;
    private final BlockStore source;
    private final UUID to;
    private final BlockStore target;
    private final Compression compression;
    private final BlockCodec codec = new BlockCodec();
    private ByteBuffer sourceRoom = ByteBuffer.allocateDirect(0);
    private ByteBuffer rawRoom = sourceRoom;
    private ByteBuffer targetRoom = sourceRoom;

    BlockCopy(UUID from, BlockStore source, UUID to, BlockStore target, Compression compression) {
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
    public BlockRow take(BlockRow row, Optional<Row.Place> place) throws IOException {
        var index = FrameIndex.parse(row.index());
        var stored = read(row, index, place);
        rawRoom = room(rawRoom, index.rawSize());
        var raw = rawRoom.clear().limit(index.rawSize());
        var identity = new BlockIdentity(from, row.id());
        codec.verify(identity, stored);
        codec.decode(identity, index, 0, stored.duplicate().position(index.storedOffset(0)).slice(), 0, index.rawSize(), raw);
        int[] starts = new int[index.frameCount()];
        for (int i = 0; i < starts.length; i++) {
            starts[i] = index.rawOffset(i);
        }
        targetRoom = room(targetRoom, BlockCodec.maxStoredSize(index.rawSize(), starts.length));
        var block = codec.encode(new BlockIdentity(to, row.id()), compression, raw.flip(), starts, targetRoom.clear());
        target.put(BlockKey.of(row.id()), block.stored());
        return new BlockRow(row.id(), index.rawSize(), block.index().storedSize(), 0, row.owner(), block.index().toBytes());
    }

    private ByteBuffer read(BlockRow row, FrameIndex index, Optional<Row.Place> place) throws IOException {
        sourceRoom = room(sourceRoom, index.storedSize());
        var stored = sourceRoom.clear().limit(index.storedSize());
        var key = place.map(in -> PackWindows.key(in.pack())).orElse(BlockKey.of(row.id()));
        int got = source.get(key, place.map(Row.Place::offset).orElse(0L), stored);
        if (got < index.storedSize()) {
            throw new IOException("block %016x has %d bytes in the store of the dump, not %d".formatted(row.id(), got, index.storedSize()));
        }
        return stored.flip();
    }

    private static ByteBuffer room(ByteBuffer there, int size) {
        return there.capacity() >= size ? there : ByteBuffer.allocateDirect(size);
    }

    @Override
    public void close() {
        codec.close();
    }
}
