package volsh.pack;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.UUID;
import volsh.block.BlockKey;
import volsh.block.BlockStore;
import volsh.block.Forwarding;
import volsh.block.NoSuchBlockException;
import volsh.inventory.Packs;
import volsh.journal.Packing;

/**
 * A store in which some blocks lie together in objects they share. The metadata says which; a block it says nothing of
 * is an object of its own, and so may be one of which it does, if it was stored more than once.
 */
public final class PackedStore implements Forwarding, Packing {
    private final BlockStore delegate;
    private final Packs packs;
    private final PackWindows windows;
    private volatile boolean used;

    public PackedStore(BlockStore delegate, Packs packs) throws IOException {
        this.delegate = delegate;
        this.packs = packs;
        this.windows = new PackWindows(delegate);
        this.used = packs.any();
    }

    public Packs packs() {
        return packs;
    }

    @Override
    public BlockStore delegate() {
        return delegate;
    }

    @Override
    public int get(BlockKey key, long offset, ByteBuffer target) throws IOException {
        if (key.block().isEmpty()) {
            return delegate.get(key, offset, target);
        }
        if (used) {
            return getPacked(key, offset, target);
        }
        int start = target.position();
        try {
            return delegate.get(key, offset, target);
        } catch (NoSuchBlockException missing) {
            var place = packs.find(key.block().getAsLong());
            if (place.isEmpty()) {
                throw missing;
            }
            used = true;   // another process has begun to pack
            return get(place.get(), offset, target.position(start));
        }
    }

    /**
     * A block may be moved to another pack, or out of it, between the look and the get: then it is looked for once
     * more.
     */
    private int getPacked(BlockKey key, long offset, ByteBuffer target) throws IOException {
        int start = target.position();
        var place = packs.find(key.block().getAsLong());
        if (place.isEmpty()) {
            return delegate.get(key, offset, target);
        }
        try {
            return get(place.get(), offset, target);
        } catch (NoSuchBlockException gone) {
            var next = packs.find(key.block().getAsLong());
            if (next.equals(place)) {
                throw gone;
            }
            target.position(start);
            return next.isEmpty() ? delegate.get(key, offset, target) : get(next.get(), offset, target);
        }
    }

    private int get(Packs.Place place, long offset, ByteBuffer target) throws IOException {
        int wanted = (int) Math.min(target.remaining(), Math.max(0, place.length() - offset));
        int limit = target.limit();
        target.limit(target.position() + wanted);
        try {
            return windows.get(place.pack(), place.offset() + offset, target);
        } finally {
            target.limit(limit);
        }
    }

    @Override
    public void put(UUID journal, List<Item> items, ByteBuffer together) throws IOException {
        long pack = packs.announce(journal);
        delegate.put(PackWindows.key(pack), together);
        var places = new HashMap<Long, Packs.Place>();
        for (var item : items) {
            places.put(item.block(), new Packs.Place(pack, item.offset(), item.length()));
        }
        packs.place(pack, places);
        used = true;
    }

    @Override
    public void delete(BlockKey key) throws IOException {
        deleteAll(List.of(key));
    }

    /** Packs go with their last block. */
    @Override
    public void deleteAll(List<BlockKey> keys) throws IOException {
        for (int from = 0; from < keys.size(); from += Packs.BLOCKS_MAX) {
            deleteSome(keys.subList(from, Math.min(keys.size(), from + Packs.BLOCKS_MAX)));
        }
    }

    private void deleteSome(List<BlockKey> keys) throws IOException {
        var empty = packs.remove(keys.stream().flatMap(key -> key.block().stream().boxed()).toList());
        var objects = new ArrayList<>(keys);
        empty.forEach(pack -> objects.add(PackWindows.key(pack)));
        if (objects.size() == 1) {
            delegate.delete(objects.getFirst());
        } else {
            delegate.deleteAll(objects);
        }
        packs.forget(empty);
    }

    /** Deletes unused packs that a process could not delete, once what emptied them can no longer come undone. */
    public void tidy(Packs.Alive alive, Reclaimer.Durable durable) throws IOException {
        var left = packs.left(alive);
        if (!left.isEmpty()) {
            durable.await();
        }
        drop(left);
    }

    /**
     * All bytes of a block that lies in a pack, as they are stored there.
     * @throws NoSuchBlockException if there is no such pack
     */
    public ByteBuffer read(Packs.Place place) throws IOException {
        var stored = ByteBuffer.allocateDirect(place.length());
        delegate.get(PackWindows.key(place.pack()), place.offset(), stored);
        return stored.flip();
    }

    /** Deletes those of these packs in which nothing lies and nothing will. */
    public void drop(List<Long> some) throws IOException {
        for (int from = 0; from < some.size(); from += Packs.BLOCKS_MAX) {
            var claimed = packs.claim(some.subList(from, Math.min(some.size(), from + Packs.BLOCKS_MAX)));
            if (!claimed.isEmpty()) {
                delegate.deleteAll(claimed.stream().map(PackWindows::key).toList());
                packs.forget(claimed);
            }
        }
    }
}
