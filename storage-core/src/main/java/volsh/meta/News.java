package volsh.meta;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import volsh.fs.FsException;
import volsh.fs.Name;

/**
 * What sessions tell each other about their changes, so that mounts can have their kernels forget what changed elsewhere. It
 * makes what is remembered fresh sooner; nothing depends on it being heard.
 *
 * <p>Each session writes into a ring of {@value #SLOTS} rows of its own, one row in the transaction of each change, and only
 * while somebody else has the volume mounted; so nobody waits for anybody. Commits may appear in any order, and numbers be
 * left out by changes that failed: a reader looks at a window around the last number it has seen. One that is overtaken
 * hears that it missed something.
 */
public final class News {
    static final int SLOTS = 512;
    private static final int BEHIND = 32;
    private static final int AHEAD = 96;
    private static final int ITEMS_MAX = 200;
    private static final long LOOK_NANOS = 1_000_000_000;
    private static final byte ENTRY = 1;
    private static final byte FILE = 2;
    private static final byte MUCH = 3;

    private final MetaEngine engine;
    private final long session;
    private final AtomicLong next = new AtomicLong(1);
    private final Map<Long, Heard> others = new HashMap<>();   // of who reads
    private volatile boolean told;
    private volatile long lookedNanos = System.nanoTime();

    News(MetaEngine engine, long session) {
        this.engine = engine;
        this.session = session;
    }

    /** Something that changed elsewhere. */
    public sealed interface Item {
        /** What a directory has under a name. */
        record Entry(long directory, Name name) implements Item {}

        /** The attributes or bytes of an inode. */
        record File(long ino) implements Item {}

        /** More than can be told. */
        record Much() implements Item {}
    }

    /** What was heard of one session: the highest number, and the number in each slot. */
    private static final class Heard {
        private final long[] slots = new long[SLOTS];
        private long highest;
    }

    /** Looks who else has the volume mounted: if nobody has, nothing is written. */
    public boolean look() throws IOException {
        hearWho(engine.read(Sessions::all));
        return told;
    }

    private void hearWho(List<Session> open) {
        told = open.stream().anyMatch(other -> other.id() != session && other.isMount());
        lookedNanos = System.nanoTime();
    }

    // ---- writing

    boolean isTold() {
        return told && session != 0;
    }

    /** Looks again if that was long ago: somebody may have mounted the volume since. */
    void lookNowAndThen() {
        if (System.nanoTime() - lookedNanos > LOOK_NANOS) {
            lookedNanos = System.nanoTime();
            try {
                look();
            } catch (IOException later) {
                // the change itself will say what is wrong
            }
        }
    }

    /** Leaves word of a change of these rows, in its transaction. */
    void write(MetaEngine.Transaction tx, Collection<MetaKey> changed) throws IOException {
        if (changed.isEmpty()) {
            return;
        }
        long number = next.getAndIncrement();
        var bytes = new ByteArrayOutputStream();
        var out = new DataOutputStream(bytes);
        out.writeLong(number);
        Set<Long> inos = new LinkedHashSet<>();
        int items = 0;
        for (var key : changed) {
            if (key.bytes()[0] == 'E') {
                out.writeByte(ENTRY);
                out.writeLong(Keys.number(key, 0));
                out.writeShort(Keys.name(key).length);
                out.write(Keys.name(key));
                items++;
            } else {
                KeyFacts.inode(key).ifPresent(inos::add);
            }
        }
        for (long ino : inos) {
            out.writeByte(FILE);
            out.writeLong(ino);
        }
        byte[] row = items + inos.size() <= ITEMS_MAX ? bytes.toByteArray() : ByteBuffer.allocate(9).putLong(number).put(MUCH).array();
        tx.put(Keys.news(session, (int) (number % SLOTS)), row);
    }

    // ---- reading

    /** What others have changed since the last call, or since this was made. One thread at a time. */
    public List<Item> hear() throws IOException {
        var items = new ArrayList<Item>();
        var sessions = engine.read(Sessions::all);
        hearWho(sessions);
        var open = sessions.stream().map(Session::id).filter(id -> id != session).toList();
        others.keySet().retainAll(open);
        for (long other : open) {
            var heard = others.get(other);
            if (heard == null) {
                others.put(other, heard = new Heard());
                take(heard, rows(other, 0, SLOTS), items);
            }
            while (take(heard, rows(other, heard.highest - BEHIND, heard.highest + AHEAD), items)) {
                // there may be more
            }
        }
        return items;
    }

    private Collection<byte[]> rows(long other, long from, long to) throws IOException {
        var keys = new LinkedHashSet<MetaKey>();
        for (long number = Math.max(0, from); number < to; number++) {
            keys.add(Keys.news(other, (int) (number % SLOTS)));
        }
        return engine.read(tx -> tx.getAll(keys)).values();
    }

    /** Whether so much was new that there may be more. */
    private static boolean take(Heard heard, Collection<byte[]> rows, List<Item> items) throws IOException {
        long before = heard.highest;
        for (byte[] row : rows) {
            var in = ByteBuffer.wrap(row);
            long number = in.getLong();
            int slot = (int) (number % SLOTS);
            if (heard.slots[slot] != number) {
                if (before != 0 && number - before > SLOTS - AHEAD) {
                    items.add(new Item.Much());
                }
                heard.slots[slot] = number;
                heard.highest = Math.max(heard.highest, number);
                parse(in, items);
            }
        }
        return heard.highest - before > AHEAD / 2 && before != 0;
    }

    private static void parse(ByteBuffer in, List<Item> items) throws FsException {
        while (in.hasRemaining()) {
            switch (in.get()) {
                case ENTRY -> {
                    long directory = in.getLong();
                    byte[] name = new byte[in.getShort()];
                    in.get(name);
                    items.add(new Item.Entry(directory, Name.of(name)));
                }
                case FILE -> items.add(new Item.File(in.getLong()));
                default -> items.add(new Item.Much());
            }
        }
    }

    /** Removes what a session has told: it is over. */
    static void forget(MetaEngine.Transaction tx, long session) throws IOException {
        var ring = Keys.news(session);
        for (var row : tx.scan(ring, ring.afterPrefix(), SLOTS)) {
            tx.delete(row.key());
        }
    }
}
