package volsh.history;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import volsh.engine.Delta;
import volsh.engine.MetaEngine;
import volsh.engine.MetaKey;
import volsh.fs.FsError;
import volsh.fs.FsException;

/** A past state of an engine: it cannot be changed, and closing it leaves that engine open. */
abstract class ReadOnlyEngine implements MetaEngine {
    /** @throws FsException READ_ONLY, always */
    @Override
    public final <R extends @Nullable Object> R transact(Work<R> work) throws IOException {
        throw refused();
    }

    /** The past counters of a directory are found by counting. */
    @Override
    public final boolean countsEntries() {
        return false;
    }

    @Override
    public final void sync() {}

    @Override
    public final void close() {}

    private static FsException refused() {
        return new FsException(FsError.READ_ONLY, "read-only: a past state cannot be changed");
    }

    /** It is read in pieces, so it has no limit and holds no transaction open. */
    abstract static class ReadOnlyTransaction implements Transaction {
        @Override
        public final void put(MetaKey key, byte[] value) throws IOException {
            throw refused();
        }

        @Override
        public final void delete(MetaKey key) throws IOException {
            throw refused();
        }

        @Override
        public final void hold(MetaKey key) throws IOException {
            throw refused();
        }

        @Override
        public final void add(MetaKey key, Delta delta) throws IOException {
            throw refused();
        }

        @Override
        public final int room() {
            return Integer.MAX_VALUE;
        }
    }
}
