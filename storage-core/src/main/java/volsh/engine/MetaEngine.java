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
 * An ordered map of byte keys to byte values with transactions: everything the name space needs from a database.
 *
 * <p>Thread-safe; several processes may have one database open. Values are at most 128 KiB; arrays passed in or out are
 * never changed by either side.
 */
public interface MetaEngine extends AutoCloseable {
    /**
     * A transaction that touches more keys than this (reads, writes, holds and adds together) is refused with {@link
     * IllegalStateException}; {@link Transaction#room} says how many are left. Rows of the change log, which a
     * transaction adds, are not counted. A {@link #read} commits nothing and has no such limit: it ends where its scans
     * do.
     */
    int KEYS_MAX = 1024;

    /** No value is longer. */
    int VALUE_MAX = 128 * 1024;

    /**
     * Runs {@code work} as one transaction and returns its result once committed: atomic, isolated, in order, safe from
     * a killed process though not yet from power loss (see {@link #sync}). On a conflict the work is run again from the
     * start, so it must touch nothing but {@code tx}. If the work throws, nothing is written; its exception leaves only
     * after everything the work had read was found to be one consistent state, otherwise the work is run again.
     *
     * @throws MetaDamagedException if a row does not match its checksum
     * @throws HeldKeyMissingException if a held key does not exist at commit
     * @throws MetaUnavailableException if the database cannot be reached or is locked for too long; nothing was written
     */
    <R extends @Nullable Object> R transact(Work<R> work) throws IOException;

    /** Runs {@code work} on one consistent state; its writes are refused. Keep it short. */
    <R extends @Nullable Object> R read(Work<R> work) throws IOException;

    /** Like {@link #transact}, for a work that frees space in the end: on a full disk it may use the reserve. */
    default <R extends @Nullable Object> R transactFreeing(Work<R> work) throws IOException {
        return transact(work);
    }

    /**
     * Like {@link #transactFreeing}, for a work that may keep what it removes as history, and so take space: it is
     * refused before the reserve is used up, which is left to works that remove history.
     */
    default <R extends @Nullable Object> R transactRemoving(Work<R> work) throws IOException {
        return transactFreeing(work);
    }

    /** Creates the reserve for {@link #transactFreeing}, if there is plenty of space and no reserve yet. */
    default void keepReserve() {}

    /** How many bytes can be written without more disk space on this machine: space of removed rows is reused. */
    default long reusableBytes() throws IOException {
        return Long.MAX_VALUE;
    }

    /**
     * Like {@link #read}, for code that reads everything: a row that does not match its checksum is returned by a scan
     * as {@link Entry#isDamaged damaged}, and is absent to a get, where a read would be refused.
     */
    default <R extends @Nullable Object> R survey(Work<R> work) throws IOException {
        return read(work);
    }

    /**
     * Problems that the database finds in its own files, a sentence each, such as inconsistent pages. {@code deep}
     * checks more, at more cost. Empty if the database is maintained elsewhere.
     */
    default List<String> inspect(boolean deep) throws IOException {
        return List.of();
    }

    /** Returns when everything committed before the call survives power loss. Concurrent callers share one sync. */
    void sync() throws IOException;

    /** Statistics since it was opened; zero in engines that never rerun a work. */
    default Counts counts() {
        return Counts.NONE;
    }

    /**
     * Whether the counters of a directory can be compared with its entries: not if some cannot be seen, and not if the
     * database finds rows by a separate index and the comparison would cost a round trip.
     */
    default boolean countsEntries() {
        return true;
    }

    /** How long the database has left pending requests unanswered; zero if that cannot happen, or all is well. */
    default Duration silence() {
        return Duration.ZERO;
    }

    /** Whether the database allows this user only to read: then only the session of a reader can be written. */
    default boolean isReadOnly() {
        return false;
    }

    /**
     * A mark of what is committed, for a small part of the cost of a read: what was read between two equal marks is
     * what a read would return. Null if the engine cannot tell, or not now.
     */
    default @Nullable StateMark stateMark() throws IOException {
        return null;
    }

    /**
     * Caches what is read from now on and notifies the follower of changes, by others and through this engine, some
     * time after. An engine with no other writers, or fast enough without, does neither. Reads stay as fresh as before.
     * One follower at a time.
     */
    default Following follow(Follower follower) {
        return () -> {};
    }

    /** Receives changes, on any thread, which it must not block. */
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

    /** Transactions that wrote, and how many runs failed because of conflicts. */
    record Counts(long commits, long reruns) {
        public static final Counts NONE = new Counts(0, 0);

        public Counts minus(Counts earlier) {
            return new Counts(commits - earlier.commits, reruns - earlier.reruns);
        }
    }

    /** The work of a transaction. It may be run more than once. */
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
         * Announces that these rows, and those they refer to, are going to be read: a remote database fetches all of
         * them in one round trip. Others do nothing.
         */
        default void expect(Collection<MetaKey> keys, Leads leads) throws IOException {}

        /** Like {@link #expect(Collection, Leads)}, for rows without references. */
        default void expect(Collection<MetaKey> keys) throws IOException {
            expect(keys, Leads.NOWHERE);
        }

        /** At most {@code limit} entries of {@code [from, to)} in key order; continue from the last {@code next()}. */
        List<Entry> scan(MetaKey from, MetaKey to, int limit) throws IOException;

        void put(MetaKey key, byte[] value) throws IOException;

        /** Removes the key; removing an absent one does nothing. */
        void delete(MetaKey key) throws IOException;

        /** Requires the key to exist at commit, whatever its value. Any number of transactions may hold it at once. */
        void hold(MetaKey key) throws IOException;

        /** Changes a counter row without reading it: never conflicts with another add. */
        void add(MetaKey key, Delta delta) throws IOException;

        /**
         * How many more keys this transaction may touch. Unbounded work checks this, stops in time, and continues in
         * another transaction.
         */
        int room();
    }

    /** Rows that refer to others, whose keys are a letter and the eight bytes at {@code offset} of the value. */
    record Leads(Collection<MetaKey> from, char kind, int offset) {
        static final Leads NOWHERE = new Leads(List.of(), '\0', 0);

        /** The key that a row with this value refers to; empty if the value is too short. */
        public Optional<MetaKey> to(byte[] value) {
            return value.length < offset + Long.BYTES ? Optional.empty()
                    : Optional.of(MetaKey.of(ByteBuffer.allocate(1 + Long.BYTES).put((byte) kind)
                            .put(value, offset, Long.BYTES).array()));
        }
    }

    /**
     * One key with its value.
     *
     * @param isDamaged whether it is not what was written: only returned by a {@link #survey}
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
