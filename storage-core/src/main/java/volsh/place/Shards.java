package volsh.place;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import volsh.block.NoSuchBlockException;
import volsh.block.UnavailableException;
import volsh.erasure.ReedSolomon;

/**
 * Reads and cuts blocks that are stored as shards. A range of the block is in one data shard, or a few adjacent ones:
 * only those are read. What one of them does not return, or not in time, is computed from the same range of {@code
 * data} others.
 */
final class Shards {
    private final Members members;
    private final StoreThreads crew;
    private final Scratch scratch;
    private final Map<Layout.ErasureCoded, ReedSolomon> codes = new ConcurrentHashMap<>();

    Shards(Members members, StoreThreads crew, Scratch scratch) {
        this.members = members;
        this.crew = crew;
        this.scratch = scratch;
    }

    ReedSolomon code(Layout.ErasureCoded layout) {
        return codes.computeIfAbsent(layout, each -> new ReedSolomon(each.data(), each.parity()));
    }

    // ---- cutting

    /** All shards of a block with their trailers, in one buffer that {@link #release} gives back. */
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

    /** Like a store's get, for the block behind its shards; adds to {@code lacking} the stores without theirs. */
    int get(long block, Layout.ErasureCoded layout, List<Part> parts, long stored, long offset, ByteBuffer target,
            List<Integer> lacking) throws IOException {
        int wanted = Math.clamp(stored - offset, 0, target.remaining());
        int length = Shard.length(stored, layout.data());
        int first = (int) (offset / length);
        int last = wanted == 0 ? first - 1 : (int) ((offset + wanted - 1) / length);
        var slices = new ArrayList<Slice>();
        for (int i = first; i <= last; i++) {
            long from = Math.max(offset, (long) i * length);
            long to = Math.min(offset + wanted, (long) (i + 1) * length);
            slices.add(new Slice(i, (int) (from - (long) i * length),
                    target.slice(target.position() + (int) (from - offset), (int) (to - from))));
        }
        read(new Broken(block, layout, parts, stored), slices, lacking);
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

    /** Reads all slices at once. A slice that fails, is late, or is on a store that hangs is computed from others. */
    private void read(Broken broken, List<Slice> slices, List<Integer> lacking) throws IOException {
        var gather = new Gather(crew, scratch);
        var hanging = new ArrayList<Integer>();
        for (int i = 0; i < slices.size(); i++) {
            var wish = wish(i, broken, slices.get(i).shard(), slices.get(i).offset(),
                    slices.get(i).bytes().remaining());
            if (wish.member().isOverdue()) {
                hanging.add(i);
            } else {
                gather.ask(wish);
            }
        }
        for (int i : hanging) {
            var slice = slices.get(i);
            var late = new IOException(
                    "store %s timed out".formatted(members.of(broken.parts().get(slice.shard()).store())));
            if (!tryRestore(broken, slice, late, lacking)) {
                gather.ask(wish(i, broken, slice.shard(), slice.offset(), slice.bytes().remaining()));
            }
        }
        boolean hedged = false;
        while (gather.waiting() > 0) {
            var answer = hedged ? gather.nextForSure() : gather.next();
            switch (answer) {
                case null -> {
                    hedged = true;
                    if (restoreLate(broken, slices, gather.late(), lacking)) {
                        return;
                    }
                }
                case Gather.Bytes(var wish, var bytes) -> {
                    slices.get(wish.number()).bytes().duplicate().put(bytes);
                    scratch.giveBack(bytes);
                }
                case Gather.Failure(var wish, var failure) ->
                        restore(broken, slices.get(wish.number()), failure, lacking);
            }
        }
    }

    private Gather.Wish wish(int number, Broken broken, int shard, int offset, int length) throws IOException {
        var part = broken.parts().get(shard);
        return new Gather.Wish(number, members.of(part.store()), part, broken.block(), offset, length);
    }

    /** False if not all of them could be computed: then the caller waits for the stores after all. */
    private boolean restoreLate(Broken broken, List<Slice> slices, List<Gather.Wish> late, List<Integer> lacking)
            throws IOException {
        for (var wish : late) {
            if (!tryRestore(broken, slices.get(wish.number()),
                    new IOException("store %s is late".formatted(wish.member())), lacking)) {
                return false;
            }
        }
        return true;
    }

    private boolean tryRestore(Broken broken, Slice slice, IOException why, List<Integer> lacking)
            throws InterruptedIOException {
        try {
            restore(broken, slice, why, lacking);
            return true;
        } catch (InterruptedIOException stopped) {
            throw stopped;
        } catch (IOException tooFew) {
            return false;
        }
    }

    /** Computes a slice from {@code data} other shards, then one more for each that fails or is late. */
    private void restore(Broken broken, Slice slice, IOException why, List<Integer> lacking) throws IOException {
        note(why, broken.parts().get(slice.shard()), lacking);
        int length = slice.bytes().remaining();
        var pieces = new @Nullable ByteBuffer[broken.parts().size()];
        var line = new ArrayList<Gather.Wish>();
        for (int i = 0; i < pieces.length; i++) {
            int there = Math.clamp(broken.shard(i).length() - slice.offset(), 0, length);
            if (i != slice.shard() && there == 0) {
                pieces[i] = ByteBuffer.allocateDirect(0);   // beyond its end are zeros
            } else if (i != slice.shard()) {
                line.add(wish(i, broken, i, slice.offset(), there));
            }
        }
        var ranks = new HashMap<Gather.Wish, Integer>();   // computed once, because they change
        line.forEach(each -> ranks.put(each, each.member().rank()));
        line.sort(Comparator.comparingInt((Gather.Wish each) -> ranks.get(each)).thenComparingInt(Gather.Wish::number));
        int empty = (int) Arrays.stream(pieces).filter(Objects::nonNull).count();
        var failures = new ArrayList<Gather.Failure>();
        var found = new Gather(crew, scratch).collect(broken.layout().data() - empty, line, failures);
        var reasons = new ArrayList<IOException>(List.of(why));
        var stores = new TreeSet<>(List.of(members.of(broken.parts().get(slice.shard()).store()).name()));
        for (var failure : failures) {
            reasons.add(failure.failure());
            stores.add(failure.wish().member().name());
            note(failure.failure(), failure.wish().part(), lacking);
        }
        if (found.size() + empty < broken.layout().data()) {
            throw lost(broken, reasons, stores);
        }
        for (var answer : found) {
            pieces[answer.wish().number()] = answer.bytes();
        }
        code(broken.layout()).restore(pieces, slice.shard(), slice.bytes().slice(), length);
        found.forEach(answer -> scratch.giveBack(answer.bytes()));
    }

    private static void note(IOException failure, Part part, List<Integer> lacking) {
        if (failure instanceof NoSuchBlockException) {
            lacking.add(part.store());
        }
    }

    private IOException lost(Broken broken, List<IOException> failures, Set<String> stores) {
        boolean gone = failures.stream().allMatch(NoSuchBlockException.class::isInstance);
        if (gone && failures.size() == broken.parts().size()) {
            return failures.getFirst();
        }
        String what = "block %016x: %d of its %d shards cannot be read, but only %d may be lost: those on stores %s: %s"
                .formatted(broken.block(), failures.size(), broken.parts().size(), broken.layout().parity(),
                        String.join(", ", stores), failures.getFirst().getMessage());
        var lost = gone ? new LostBlockException(what, failures.getFirst())
                : new UnavailableException(what, failures.getFirst());
        failures.stream().skip(1).limit(3).forEach(lost::addSuppressed);
        return lost;
    }
}
