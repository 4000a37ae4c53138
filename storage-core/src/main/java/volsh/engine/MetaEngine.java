package volsh.engine;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An ordered map of byte keys to byte values with transactions: all that the name space needs from a database.
 *
 * <p>Thread-safe; several processes may have one database open. Values are at most 128 KiB; arrays handed in or out are
 * never changed by either side.
 */
public interface MetaEngine extends AutoCloseable {
    /**
     * A transaction that touches more keys than this (reads, writes, holds and adds together) is refused with {@link
     * IllegalStateException}; {@link Transaction#room} says how many are left. Rows of the change log, which a transaction leaves behind, are
     * not counted. A {@link #read} commits nothing and has no such limit: it ends where its scans do.
     */
    int KEYS_MAX = 1024;

    /** No value is longer. */
    int VALUE_MAX = 128 * 1024;

    /**
     * Runs {@code work} as one transaction and returns its result once committed: atomic, isolated, in order, safe from a
     * killed process though not yet from power loss (see {@link #sync}). On a conflict the work is run again from the
     * start, so it must touch nothing but {@code tx}. If the work throws, nothing is written; its exception leaves only
     * after everything the work had read was found to be one consistent state, else the work is run again.
     *
     * @throws MetaDamagedException if a row does not match its checksum
     * @throws HeldKeyMissingException if a held key does not exist at commit
     * @throws MetaUnavailableException if the database cannot be reached or is locked for too long; nothing was written
     */
    <R extends @Nullable Object> R transact(Work<R> work) throws IOException;

    /** Runs {@code work} on one consistent state; its writes are refused. Keep it short. */
    <R extends @Nullable Object> R read(Work<R> work) throws IOException;

    /** As {@link #transact} for a work that gives space back in the end: a disk that is full does not stop it as long as the engine has a reserve. */
    default <R extends @Nullable Object> R transactFreeing(Work<R> work) throws IOException {
        return transact(work);
    }

    /**
     * As {@link #transactFreeing} for a work that may keep what it removes as history, and so take space: it is refused before the reserve is used up, which those have to
     * themselves that give history back or let somebody do so.
     */
    default <R extends @Nullable Object> R transactRemoving(Work<R> work) throws IOException {
        return transactFreeing(work);
    }

    /** Makes the reserve for {@link #transactFreeing}, where there is plenty of space and it is not there. */
    default void keepReserve() {}

    /** How many bytes can be written without more space of the disk of this machine: what was removed is used again. */
    default long reusableBytes() throws IOException {
        return Long.MAX_VALUE;
    }

    /**
     * As {@link #read}, for those who look at everything that is there: a row that does not match its checksum is handed out by a scan as {@link
     * Entry#isDamaged damaged}, and is none to a get, where a read would be refused.
     */
    default <R extends @Nullable Object> R survey(Work<R> work) throws IOException {
        return read(work);
    }

    /**
     * What the database finds wrong with its own files, a sentence each: pages that do not fit together, for one. {@code deep} compares more, at more
     * cost. Nothing where the database is looked after elsewhere.
     */
    default List<String> inspect(boolean deep) throws IOException {
        return List.of();
    }

    /** Returns when everything committed before the call survives power loss. Concurrent callers share one sync. */
    void sync() throws IOException;

    /** What it has done since it was opened; nothing where nobody counts, because nothing is ever run again. */
    default Counts counts() {
        return Counts.NONE;
    }

    /**
     * Whether what a directory counts can be compared with the entries that are found in it: not where some cannot be seen, and not where the
     * database finds rows by an index apart from them and the comparison would cost a round trip.
     */
    default boolean countsEntries() {
        return true;
    }

    /** For how long somebody has waited for the database and it has answered nobody; zero where that cannot be, or all is well. */
    default Duration silence() {
        return Duration.ZERO;
    }

    /** Whether the database lets this user only read: then nothing but the session of a reader can be written. */
    default boolean isReadOnly() {
        return false;
    }

    /**
     * Remembers what is read from now on and tells the follower what is changed, by others and through this engine, some time after. An
     * engine that nobody else can change, or that is quick enough without, does neither. Reads stay as fresh as they are. Once at a time.
     */
    default Following follow(Follower follower) {
        return () -> {};
    }

    /** Is told of changes, by any thread, which it must not keep waiting. */
    interface Follower {
        void changed(Collection<MetaKey> keys);

        /** Anything may have changed. */
        void lostTrack();
    }

    /** Ends with {@link #close}. */
    interface Following extends AutoCloseable {
        @Override
        void close();
    }

    @Override
    void close() throws IOException;

    /** Transactions that wrote, and how many runs of transactions came to nothing because others were in the way. */
    record Counts(long commits, long reruns) {
        public static final Counts NONE = new Counts(0, 0);

        public Counts minus(Counts earlier) {
            return new Counts(commits - earlier.commits, reruns - earlier.reruns);
        }
    }

    /** What a transaction does. It may be run more than once. */
    @FunctionalInterface
    interface Work<R extends @Nullable Object> {
        R run(Transaction tx) throws IOException;
    }

    /** Reads see this transaction's own writes and adds. Not valid after the work returns. */
    interface Transaction {
        /** The value, or null if there is no such key. */
        byte @Nullable [] get(MetaKey key) throws IOException;

        /** The values of those keys that exist, in one round trip. */
        Map<MetaKey, byte[]> getAll(Collection<MetaKey> keys) throws IOException;

        /**
         * These rows are going to be read, and those that they lead to: where the database is far away, all of them come in one round trip.
         * Elsewhere nothing is done.
         */
        default void expect(Collection<MetaKey> keys, Leads leads) throws IOException {}

        /** The same of rows that lead nowhere. */
        default void expect(Collection<MetaKey> keys) throws IOException {
            expect(keys, Leads.NOWHERE);
        }

        /** At most {@code limit} entries of {@code [from, to)} in key order; to go on, scan from the last key's {@code next()}. */
        List<Entry> scan(MetaKey from, MetaKey to, int limit) throws IOException;

        void put(MetaKey key, byte[] value) throws IOException;

        /** Removes the key; removing an absent one is nothing. */
        void delete(MetaKey key) throws IOException;

        /** The key must exist at commit, whatever its value. Any number of transactions may hold it at once. */
        void hold(MetaKey key) throws IOException;

        /** Changes a counter row without reading it: never a conflict with another add. */
        void add(MetaKey key, Delta delta) throws IOException;

        /** How many more keys this transaction may touch. Work of which there may be any amount asks, stops in time, and goes on in another one. */
        int room();
    }

    /** Rows that lead to others, whose keys are a letter and the eight bytes at {@code offset} of the value. */
    record Leads(Collection<MetaKey> from, char kind, int offset) {
        static final Leads NOWHERE = new Leads(List.of(), '\0', 0);

        /** Where a row with this value leads; empty for one that is too short. */
        public Optional<MetaKey> to(byte[] value) {
            return value.length < offset + Long.BYTES ? Optional.empty()
                    : Optional.of(MetaKey.of(ByteBuffer.allocate(1 + Long.BYTES).put((byte) kind).put(value, offset, Long.BYTES).array()));
        }
    }

    /**
     * One key with its value.
     *
     * @param isDamaged whether it is not what was written: only a {@link #survey} is handed such
     */
    record Entry(MetaKey key, byte[] value, boolean isDamaged) {
        public Entry(MetaKey key, byte[] value) {
            this(key, value, false);
        }

        /** A row that does not match its checksum. */
        public static Entry damaged(MetaKey key, byte[] value) {
            return new Entry(key, value, true);
        }
    }
}
