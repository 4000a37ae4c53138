package volsh.block.memory;

import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.Stream;
import volsh.block.BlockKey;
import volsh.block.BlockStore;
import volsh.block.NoSuchBlockException;
import volsh.block.PutsOnce;

/** Keeps blocks on the heap for as long as it is referenced. Closing it keeps them, so that it can be opened again. */
public final class MemoryBlockStore implements BlockStore, PutsOnce {
    private final ConcurrentNavigableMap<String, Block> blocks = new ConcurrentSkipListMap<>();
    private final InstantSource clock;

    private record Block(byte[] bytes, Instant modified) {}

    public MemoryBlockStore() {
        this(InstantSource.system());
    }

    public MemoryBlockStore(InstantSource clock) {
        this.clock = clock;
    }

    @Override
    public int get(BlockKey key, long offset, ByteBuffer target) throws NoSuchBlockException {
        if (offset < 0) {
            throw new IllegalArgumentException("negative offset: " + offset);
        }
        Block block = blocks.get(key.text());
        if (block == null) {
            throw new NoSuchBlockException(key);
        }
        int count = (int) Math.max(0, Math.min(target.remaining(), block.bytes.length - offset));
        if (count > 0) {
            target.put(block.bytes, (int) offset, count);
        }
        return count;
    }

    @Override
    public void put(BlockKey key, ByteBuffer data) {
        blocks.put(key.text(), block(data));
    }

    @Override
    public boolean putIfAbsent(BlockKey key, ByteBuffer data) {
        var mine = block(data);
        var there = blocks.putIfAbsent(key.text(), mine);
        return there == null || Arrays.equals(there.bytes, mine.bytes);
    }

    private Block block(ByteBuffer data) {
        var bytes = new byte[data.remaining()];
        data.get(data.position(), bytes);
        return new Block(bytes, clock.instant());
    }

    @Override
    public void delete(BlockKey key) {
        blocks.remove(key.text());
    }

    @Override
    public Stream<Listed> list(String prefix) {
        return blocks.tailMap(prefix, true).entrySet().stream()
                .takeWhile(entry -> entry.getKey().startsWith(prefix))
                .map(entry -> listed(entry.getKey(), entry.getValue()));
    }

    private static Listed listed(String key, Block block) {
        return new Listed(new BlockKey(key), block.bytes.length, block.modified);
    }

    @Override
    public void close() {}
}
