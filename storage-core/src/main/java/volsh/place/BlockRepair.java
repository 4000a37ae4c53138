package volsh.place;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import volsh.block.NoSuchBlockException;
import volsh.block.UnavailableException;
import volsh.place.Placement.Check;
import volsh.place.PlacementRecords.Located;
import volsh.place.StoreThreads.Outcome;

/**
 * Checks and repairs all parts of a block, and moves blocks to other stores. It copies stored bytes and verifies them
 * on the way: nothing is written that was not verified. Thread-safe.
 */
public final class BlockRepair {
    private static final Logger LOG = System.getLogger("volsh.place");

    private final PlacementRecords ledger;
    private final Members members;
    private final Arrangements arrangements;
    private final Shards shards;
    private final Scratch scratch;
    private final StoreThreads crew;
    private final Duration look;   // the time limit for a store to return or accept its part of a block

    BlockRepair(PlacementRecords ledger, Members members, Arrangements arrangements, Shards shards, Scratch scratch,
            StoreThreads crew, Duration look) {
        this.ledger = ledger;
        this.members = members;
        this.arrangements = arrangements;
        this.shards = shards;
        this.scratch = scratch;
        this.crew = crew;
        this.look = look;
    }

    /** The condition of a part of a block. */
    public enum Condition {
        RIGHT,
        MISSING,
        DAMAGED,
        /** Its store does not answer. */
        UNKNOWN
    }

    /** The conditions of the parts of a block, in order, and whether the block as a whole can be read. */
    public record Findings(List<Part> parts, List<Condition> conditions, boolean isRight) {
        public long count(Condition condition) {
            return conditions.stream().filter(condition::equals).count();
        }

        /** The stores whose parts have one of these conditions. */
        public List<Integer> stores(Condition... wanted) {
            var stores = new ArrayList<Integer>();
            for (int i = 0; i < parts.size(); i++) {
                if (List.of(wanted).contains(conditions.get(i))) {
                    stores.add(parts.get(i).store());
                }
            }
            return stores;
        }

        public boolean isWhole() {
            return isRight && count(Condition.RIGHT) == parts.size();
        }
    }

    /** What was found, how many parts were rewritten, and the failure if one could not be. */
    public record Mended(Findings found, int repaired, boolean isRight, Optional<IOException> failure) {}

    private record Rewritten(int parts, Optional<IOException> failure) {
        static final Rewritten NOTHING = new Rewritten(0, Optional.empty());
    }

    /** Where a block without a row lies, if it can be read under one of these arrangements. */
    public Optional<Located> find(long block, Collection<Integer> numbers) throws IOException {
        return new Search(members, arrangements).find(block, numbers);
    }

    /** The arrangement of the block; empty if it is unknown. */
    public Optional<Arrangement> arrangement(long block) throws IOException {
        var located = arrangements.current(block);
        return located.isEmpty() ? Optional.empty()
                : Optional.of(arrangements.arrangement(located.get().arrangement()));
    }

    /** Reads only the end of each part: checks that it exists with the right length. */
    public Findings glance(long block, Located located) throws IOException {
        var arrangement = arrangements.arrangement(located.arrangement());
        var parts = arrangement.parts(block);
        var tasks = new ArrayList<Callable<Condition>>();
        for (var part : parts) {
            long length = length(block, arrangement.layout(), part, located.stored());
            tasks.add(() -> glance(block, part, length));
        }
        var conditions = crew.within(look, tasks).stream().map(each -> each.orElse(Condition.UNKNOWN)).toList();
        long needed = (long) arrangement.layout().storesMin() - arrangement.layout().losses();
        long right = conditions.stream().filter(Condition.RIGHT::equals).count();
        boolean striped = arrangement.layout() instanceof Layout.Striped;
        return new Findings(parts, conditions, right >= (striped ? 1 : needed));
    }

    private Condition glance(long block, Part part, long length) throws IOException {
        try {
            return prompt(part).get(part.key(block), length - 1, ByteBuffer.allocate(2)) == 1 ? Condition.RIGHT
                    : Condition.DAMAGED;
        } catch (NoSuchBlockException missing) {
            return Condition.MISSING;
        }
    }

    /** The objects of a block, with their lengths. */
    public Map<Part, Long> objects(long block, Located located) throws IOException {
        var arrangement = arrangements.arrangement(located.arrangement());
        var objects = new LinkedHashMap<Part, Long>();
        for (var part : arrangement.parts(block)) {
            objects.put(part, length(block, arrangement.layout(), part, located.stored()));
        }
        return objects;
    }

    /**
     * The store of a part.
     * @throws UnavailableException if it hangs: a call that just gave up on it may have waited slightly longer than the
     * store records
     */
    private Member prompt(Part part) throws IOException {
        var member = members.of(part.store());
        if (member.waitingNanos() > look.toNanos() / 2) {
            throw new UnavailableException("store %s timed out".formatted(member), null);
        }
        return member;
    }

    private static long length(long block, Layout layout, Part part, long stored) {
        return part.isWhole() || !(layout instanceof Layout.ErasureCoded code) ? stored
                : new Shard(block, part.shard(), code.data(), code.parity(), stored).length() + (long) Shard.TRAILER;
    }

    /** Reads every part of the block and rewrites missing or damaged ones whose store answers. */
    public Mended mend(long block, Check check) throws IOException {
        return look(block, check, true);
    }

    /** Reads every part of the block. */
    public Findings examine(long block, Check check) throws IOException {
        return look(block, check, false).found();
    }

    private Mended look(long block, Check check, boolean mends) throws IOException {
        var located = arrangements.current(block)
                .orElseThrow(() -> new IOException("metadata corrupt: no row for block %016x".formatted(block)));
        try (var whole = read(block, located, check)) {
            var rewritten = mends && whole.stored != null ? rewrite(block, whole, whole.stored) : Rewritten.NOTHING;
            return new Mended(whole.findings(), rewritten.parts, whole.right(), rewritten.failure);
        }
    }

    /** A block with all its parts in memory; {@code stored} holds its verified bytes, if there are any. */
    private final class Whole implements AutoCloseable {
        private final Arrangement arrangement;
        private final List<Part> parts;
        private final List<Condition> conditions;
        private final @Nullable ByteBuffer memory;   // null if a late call may still write to it
        private final @Nullable ByteBuffer stored;

        Whole(Arrangement arrangement, List<Part> parts, List<Condition> conditions,
                @Nullable ByteBuffer memory, @Nullable ByteBuffer stored) {
            this.arrangement = arrangement;
            this.parts = parts;
            this.conditions = conditions;
            this.memory = memory;
            this.stored = stored;
        }

        boolean right() {
            return stored != null;
        }

        Findings findings() {
            return new Findings(parts, conditions, right());
        }

        List<Part> parts(Condition wanted) {
            return IntStream.range(0, parts.size()).filter(i -> conditions.get(i) == wanted).mapToObj(parts::get)
                    .toList();
        }

        @Override
        public void close() {
            if (memory != null) {
                scratch.giveBack(memory);
            }
        }
    }

    private Whole read(long block, Located located, Check check) throws IOException {
        var arrangement = arrangements.arrangement(located.arrangement());
        var parts = arrangement.parts(block);
        var lengths = parts.stream().mapToInt(part ->
                Math.toIntExact(length(block, arrangement.layout(), part, located.stored()))).toArray();
        int room = Math.toIntExact(located.stored());
        for (int length : lengths) {
            room += length;
        }
        var memory = scratch.take(room);
        int at = Math.toIntExact(located.stored());
        var objects = new ArrayList<ByteBuffer>();
        var tasks = new ArrayList<Callable<Condition>>();
        for (int i = 0; i < parts.size(); i++) {
            var object = memory.slice(at, lengths[i]);
            var part = parts.get(i);
            objects.add(object);
            tasks.add(() -> fetch(block, part, object.duplicate()));
            at += lengths[i];
        }
        var conditions = new ArrayList<Condition>();
        boolean late = false;
        for (Outcome<Condition> outcome : crew.within(look, tasks)) {
            late |= outcome.late();
            conditions.add(outcome.orElse(Condition.UNKNOWN));
        }
        var stored = arrangement.layout() instanceof Layout.ErasureCoded code
                ? join(block, code, located, conditions, objects, memory.slice(0, (int) located.stored()), check)
                : best(conditions, objects, check);
        return new Whole(arrangement, parts, conditions, late ? null : memory, stored);
    }

    private Condition fetch(long block, Part part, ByteBuffer target) throws IOException {
        int length = target.remaining();
        try {
            return prompt(part).get(part.key(block), 0, target) == length ? Condition.RIGHT : Condition.DAMAGED;
        } catch (NoSuchBlockException missing) {
            return Condition.MISSING;
        }
    }

    /** The first valid copy; the others are compared with it. */
    private static @Nullable ByteBuffer best(List<Condition> conditions, List<ByteBuffer> objects, Check check) {
        ByteBuffer right = null;
        for (int i = 0; i < objects.size(); i++) {
            if (conditions.get(i) == Condition.RIGHT) {
                boolean good = right == null ? check.isRight(objects.get(i).duplicate()) : right.equals(objects.get(i));
                conditions.set(i, good ? Condition.RIGHT : Condition.DAMAGED);
                right = good && right == null ? objects.get(i) : right;
            }
        }
        return right;
    }

    private @Nullable ByteBuffer join(long block, Layout.ErasureCoded code, Located located,
            List<Condition> conditions, List<ByteBuffer> objects, ByteBuffer room, Check check) {
        var pieces = new @Nullable ByteBuffer[objects.size()];
        for (int i = 0; i < pieces.length; i++) {
            var shard = new Shard(block, i, code.data(), code.parity(), located.stored());
            if (conditions.get(i) == Condition.RIGHT && !shard.isRight(objects.get(i))) {
                conditions.set(i, Condition.DAMAGED);
            }
            pieces[i] = conditions.get(i) == Condition.RIGHT ? objects.get(i).slice(0, shard.length()) : null;
        }
        if (conditions.stream().filter(Condition.RIGHT::equals).count() < code.data()) {
            return null;
        }
        int length = Shard.length(located.stored(), code.data());
        for (int i = 0; i < code.data(); i++) {
            var shard = new Shard(block, i, code.data(), code.parity(), located.stored());
            var target = room.slice(Math.min(room.limit(), i * length), shard.length());
            if (pieces[i] != null) {
                target.put(pieces[i].duplicate());
            } else {
                shards.code(code).restore(pieces, i, target, shard.length());
            }
        }
        return check.isRight(room.duplicate()) ? room : null;
    }

    private Rewritten rewrite(long block, Whole whole, ByteBuffer stored) throws IOException {
        var wrong = new ArrayList<Integer>();
        for (int i = 0; i < whole.parts.size(); i++) {
            if (whole.conditions.get(i) == Condition.MISSING || whole.conditions.get(i) == Condition.DAMAGED) {
                wrong.add(i);
            }
        }
        if (wrong.isEmpty()) {
            ledger.found(block, whole.findings().stores(Condition.RIGHT));
            return Rewritten.NOTHING;
        }
        return put(block, whole.arrangement, stored, wrong, objects -> {
            var healed = new ArrayList<>(whole.findings().stores(Condition.RIGHT));
            var left = new ArrayList<Integer>();
            for (int i = 0; i < wrong.size(); i++) {
                var part = whole.parts.get(wrong.get(i));
                var failure = objects.get(i).failure();
                (failure == null ? healed : left).add(part.store());
                boolean expected = whole.conditions.get(wrong.get(i)) == Condition.MISSING && failure == null;
                LOG.log(expected ? Level.DEBUG : Level.WARNING, "block %016x was %s in store %s: %s".formatted(block,
                        whole.conditions.get(wrong.get(i)) == Condition.MISSING ? "missing" : "damaged",
                        members.of(part.store()),
                        failure == null ? "repaired" : "not repaired, " + failure.getMessage()));
            }
            ledger.found(block, healed);
            ledger.missing(block, left);
            var failure = objects.stream().flatMap(object -> Stream.ofNullable(object.failure())).findFirst();
            return new Rewritten(wrong.size() - left.size(), failure);
        });
    }

    private interface Then<R extends @Nullable Object> {
        R run(List<Outcome<@Nullable Void>> outcomes) throws IOException;
    }

    /** Puts these parts of a block, given the whole block as stored. */
    private <R extends @Nullable Object> R put(long block, Arrangement arrangement, ByteBuffer stored,
            List<Integer> wanted, Then<R> then) throws IOException {
        var parts = arrangement.parts(block);
        if (arrangement.layout() instanceof Layout.ErasureCoded code) {
            var cut = shards.cut(block, code, stored);
            return put(block, parts, cut.objects(), wanted, () -> shards.release(cut), then);
        }
        // a store that hangs may keep reading it
        var copy = scratch.take(stored.remaining()).put(stored.duplicate()).flip();
        return put(block, parts, Collections.nCopies(parts.size(), copy), wanted, () -> scratch.giveBack(copy), then);
    }

    private <R extends @Nullable Object> R put(long block, List<Part> parts, List<ByteBuffer> objects,
            List<Integer> wanted, Runnable release, Then<R> then) throws IOException {
        var tasks = new ArrayList<Callable<@Nullable Void>>();
        for (int i : wanted) {
            var object = objects.get(i).duplicate();
            tasks.add(() -> {
                members.of(parts.get(i).store()).put(parts.get(i).key(block), object);
                return null;
            });
        }
        var outcomes = crew.within(look, tasks);
        if (outcomes.stream().noneMatch(Outcome::late)) {
            release.run();
        }
        return then.run(outcomes);
    }

    // ---- moving

    /** Records the new arrangement of a block, if it still has the old one and is in use. */
    public interface Relocation {
        boolean commit(int from, int to) throws IOException;
    }

    /** A moved block: its old parts are unused once the change is durable. */
    public record Moved(long block, Arrangement from, Arrangement to) {}

    /**
     * Copies a block to where another arrangement puts it, and records the move. The block stays readable throughout.
     * Empty, with nothing changed, if the block was deleted or moved meanwhile, or is there already. The old parts stay
     * until they are {@link #clear cleared}: until the change is durable, readers may need them.
     *
     * @throws IOException if the block cannot be read, or a store does not accept its part
     */
    public Optional<Moved> move(long block, Arrangement to, Check check, Relocation relocation) throws IOException {
        var located = arrangements.current(block)
                .orElseThrow(() -> new IOException("metadata corrupt: no row for block %016x".formatted(block)));
        var from = arrangements.arrangement(located.arrangement());
        int number = arrangements.number(to);
        if (number == located.arrangement()) {
            return Optional.empty();
        }
        try (var whole = read(block, located, check)) {
            if (whole.stored == null) {
                throw new IOException("block %016x cannot be read from %s".formatted(block, from));
            }
            boolean alike = isWhole(from) && isWhole(to) || from.layout().equals(to.layout());
            copy(block, alike ? whole.parts(Condition.RIGHT) : List.of(), to, whole.stored);
        }
        if (!relocation.commit(located.arrangement(), number)) {
            var now = ledger.located(block);
            // it was deleted; if it was moved instead, its new parts may be among these
            if (now.isEmpty() || now.get().arrangement() == located.arrangement()) {
                remove(block, to, from);
            }
            return Optional.empty();
        }
        arrangements.know(block, new Located(number, located.stored()));
        ledger.found(block, from.parts(block).stream().map(Part::store).toList());
        return Optional.of(new Moved(block, from, to));
    }

    /** Writes a block without readable parts, given its stored bytes, to this arrangement, and records that. */
    public boolean lay(long block, ByteBuffer stored, Arrangement to, Relocation relocation) throws IOException {
        int number = arrangements.number(to);
        copy(block, List.of(), to, stored);
        boolean laid = relocation.commit(0, number);
        if (laid) {
            arrangements.know(block, new Located(number, stored.remaining()));
        }
        return laid;
    }

    /** Deletes the old parts of a moved block, unless it has moved back. The move must be durable. */
    public void clear(Moved moved) throws IOException {
        var now = ledger.located(moved.block());
        if (now.isEmpty() || arrangements.arrangement(now.get().arrangement()).equals(moved.to())) {
            remove(moved.block(), moved.from(), moved.to());
        }
    }

    /** Puts all parts that do not exist yet. */
    private void copy(long block, List<Part> there, Arrangement to, ByteBuffer stored) throws IOException {
        var wanted = new ArrayList<Integer>();
        var parts = to.parts(block);
        for (int i = 0; i < parts.size(); i++) {
            if (!there.contains(parts.get(i))) {
                wanted.add(i);
            }
        }
        put(block, to, stored, wanted, outcomes -> {
            for (int i = 0; i < outcomes.size(); i++) {
                var failure = outcomes.get(i).failure();
                if (failure != null) {
                    throw new UnavailableException("store %s failed to store block %016x: %s"
                            .formatted(members.of(parts.get(wanted.get(i)).store()), block, failure.getMessage()),
                            failure);
                }
            }
            return null;
        });
    }

    private static boolean isWhole(Arrangement arrangement) {
        return !(arrangement.layout() instanceof Layout.ErasureCoded);
    }

    /** Deletes the parts of one arrangement that the other does not share. What cannot be deleted stays, unused. */
    private void remove(long block, Arrangement old, Arrangement kept) {
        var needed = new HashSet<>(kept.parts(block));
        for (var part : old.parts(block)) {
            if (!needed.contains(part)) {
                try {
                    members.of(part.store()).deleteAll(List.of(part.key(block)));
                } catch (IOException left) {
                    LOG.log(Level.DEBUG,
                            "unused object %s could not be deleted from its store".formatted(part.key(block)), left);
                }
            }
        }
    }

    /** The arrangement of a block of a file with this policy, at this offset. */
    public Arrangement wanted(int policy, long ino, long offset, long stored) throws IOException {
        return arrangements.choose(arrangements.policy(policy), ino, offset, stored);
    }

    /** Like {@link #wanted}, for a policy that no inode has yet. */
    public Arrangement wanted(LayoutPolicy policy, long ino, long offset, long stored) throws IOException {
        return arrangements.choose(policy, ino, offset, stored);
    }

    /** The arrangement of a block of this layout now, on stores that accept new blocks. */
    public Arrangement wanted(Layout layout, long ino, long stored) throws IOException {
        return arrangements.choose(LayoutPolicy.of(layout), ino, 0, stored);
    }

    public Arrangement arrangementOf(int number) throws IOException {
        return arrangements.arrangement(number);
    }

    public LayoutPolicy policy(int number) throws IOException {
        return arrangements.policy(number);
    }

    /** The number of a policy. */
    public int numberOf(LayoutPolicy policy) throws IOException {
        return ledger.number(Arrangements.text(policy));
    }
}
