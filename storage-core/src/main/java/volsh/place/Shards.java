package volsh.place;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import volsh.block.NoSuchBlockException;
import volsh.erasure.ReedSolomon;
import volsh.place.Crew.Outcome;

/**
 * Reads and cuts blocks that are stored as shards. A range of the block is in one data shard, or a few next to each other: only those are
 * asked. What one of them does not give is computed from the same range of {@code data} others.
 */
final class Shards {
    private final Members members;
    private final Crew crew;
    private final Scratch scratch;
    private final Map<Layout.ErasureCoded, ReedSolomon> codes = new ConcurrentHashMap<>();

    Shards(Members members, Crew crew, Scratch scratch) {
        this.members = members;
        this.crew = crew;
        this.scratch = scratch;
    }

    ReedSolomon code(Layout.ErasureCoded layout) {
        return codes.computeIfAbsent(layout, each -> new ReedSolomon(each.data(), each.parity()));
    }

    // ---- cutting

    /** All shards of a block with their trailers, in one piece of memory that {@link #release} gives back. */
    record Cut(ByteBuffer memory, List<ByteBuffer> objects) {}

    Cut cut(long block, Layout.ErasureCoded layout, ByteBuffer stored) {
        int length = Shard.length(stored.remaining(), layout.data());
        int total = layout.data() + layout.parity();
        var memory = scratch.take(total * (length + Shard.TRAILER));
        var objects = new ArrayList<ByteBuffer>();
        var data = new ByteBuffer[layout.data()];
        var parity = new ByteBuffer[layout.parity()];
        for (int i = 0; i < total; i++) {
            var shard = new Shard(block, i, layout.data(), layout.parity(), stored.remaining());
            var object = memory.slice(i * (length + Shard.TRAILER), shard.length() + Shard.TRAILER);
            var payload = object.slice(0, shard.length());
            if (i < layout.data()) {
                payload.put(0, stored, stored.position() + Math.min(stored.remaining(), i * length), shard.length());
                data[i] = payload;
            } else {
                parity[i - layout.data()] = payload;
            }
            objects.add(object);
        }
        code(layout).encode(data, parity, length);
        for (int i = 0; i < total; i++) {
            new Shard(block, i, layout.data(), layout.parity(), stored.remaining()).seal(objects.get(i));
        }
        return new Cut(memory, objects);
    }

    void release(Cut cut) {
        scratch.giveBack(cut.memory());
    }

    // ---- reading

    /** As a store's get, of the block behind its shards; {@code lacking} learns which stores turned out not to have theirs. */
    int get(long block, Layout.ErasureCoded layout, List<Part> parts, long stored, long offset, ByteBuffer target, List<Integer> lacking)
            throws IOException {
        int wanted = Math.clamp(stored - offset, 0, target.remaining());
        int length = Shard.length(stored, layout.data());
        int first = (int) (offset / length);
        int last = wanted == 0 ? first - 1 : (int) ((offset + wanted - 1) / length);
        var slices = new ArrayList<Slice>();
        for (int i = first; i <= last; i++) {
            long from = Math.max(offset, (long) i * length);
            long to = Math.min(offset + wanted, (long) (i + 1) * length);
            slices.add(new Slice(i, (int) (from - (long) i * length), target.slice(target.position() + (int) (from - offset), (int) (to - from))));
        }
        var tasks = new ArrayList<Callable<Void>>();
        for (var slice : slices) {
            tasks.add(() -> read(block, parts.get(slice.shard()), slice.offset(), slice.bytes()));
        }
        var outcomes = crew.all(tasks);
        for (int i = 0; i < slices.size(); i++) {
            if (!outcomes.get(i).isDone()) {
                restore(new Broken(block, layout, parts, stored), slices.get(i), outcomes.get(i).failure(), lacking);
            }
        }
        target.position(target.position() + wanted);
        return wanted;
    }

    /** Bytes of one shard from an offset on. */
    private record Slice(int shard, int offset, ByteBuffer bytes) {}

    private record Broken(long block, Layout.ErasureCoded layout, List<Part> parts, long stored) {
        Shard shard(int number) {
            return new Shard(block, number, layout.data(), layout.parity(), stored);
        }
    }

    private Void read(long block, Part part, int offset, ByteBuffer bytes) throws IOException {
        var view = bytes.duplicate();
        int length = view.remaining();
        int count = members.of(part.store()).get(part.key(block), offset, view);
        if (count < length) {
            throw new IOException("shard %s of store %s is cut short".formatted(part.key(block), members.of(part.store())));
        }
        return null;
    }

    /** Computes what a shard did not give from the same range of others, {@code data} at first, then one more for each that fails. */
    private void restore(Broken broken, Slice slice, IOException why, List<Integer> lacking) throws IOException {
        note(why, broken.parts().get(slice.shard()), lacking);
        int total = broken.parts().size();
        var pieces = new ByteBuffer[total];
        var failures = new ArrayList<IOException>(List.of(why));
        int length = slice.bytes().remaining();
        var memory = scratch.take(total * length);
        try {
            var left = new ArrayList<Integer>();
            for (int i = 0; i < total; i++) {
                if (i != slice.shard()) {
                    left.add(i);
                }
            }
            left.sort(Comparator.comparing(i -> state(broken.parts().get(i))));
            int found = 0;
            while (found < broken.layout().data() && !left.isEmpty()) {
                var some = new ArrayList<>(left.subList(0, Math.min(left.size(), broken.layout().data() - found)));
                left.removeAll(some);
                var outcomes = pieces(broken, some, slice.offset(), length, memory);
                for (int i = 0; i < some.size(); i++) {
                    if (outcomes.get(i).isDone()) {
                        pieces[some.get(i)] = outcomes.get(i).value();
                        found++;
                    } else {
                        failures.add(outcomes.get(i).failure());
                        note(outcomes.get(i).failure(), broken.parts().get(some.get(i)), lacking);
                    }
                }
            }
            if (found < broken.layout().data()) {
                throw lost(broken, failures);
            }
            code(broken.layout()).restore(pieces, slice.shard(), slice.bytes().slice(), length);
        } finally {
            scratch.giveBack(memory);
        }
    }

    private Health.State state(Part part) {
        try {
            return members.of(part.store()).health().state();
        } catch (IOException unknown) {
            return Health.State.DOWN;
        }
    }

    private List<Outcome<ByteBuffer>> pieces(Broken broken, List<Integer> some, int offset, int length, ByteBuffer memory) throws IOException {
        var tasks = new ArrayList<Callable<ByteBuffer>>();
        for (int number : some) {
            int there = Math.clamp(broken.shard(number).length() - offset, 0, length);   // behind its end are zeros
            var room = memory.slice(number * length, there);
            tasks.add(() -> {
                if (there > 0) {
                    read(broken.block(), broken.parts().get(number), offset, room);
                }
                return room;
            });
        }
        return crew.all(tasks);
    }

    private static void note(IOException failure, Part part, List<Integer> lacking) {
        if (failure instanceof NoSuchBlockException) {
            lacking.add(part.store());
        }
    }

    private IOException lost(Broken broken, List<IOException> failures) {
        boolean gone = failures.stream().allMatch(NoSuchBlockException.class::isInstance);
        if (gone && failures.size() == broken.parts().size()) {
            return failures.getFirst();
        }
        String what = "block %016x: %d of its %d shards cannot be read, and %d may: %s".formatted(broken.block(),
                failures.size(), broken.parts().size(), broken.layout().parity(), failures.getFirst().getMessage());
        var lost = gone ? new LostBlockException(what, failures.getFirst()) : new IOException(what, failures.getFirst());
        failures.stream().skip(1).limit(3).forEach(lost::addSuppressed);
        return lost;
    }
}
