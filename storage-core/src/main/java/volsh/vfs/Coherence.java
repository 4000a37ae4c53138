package volsh.vfs;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import volsh.chunk.Chunks;
import volsh.engine.MetaEngine;
import volsh.fs.Advice;
import volsh.fs.PassedRange;
import volsh.meta.Consistency;
import volsh.meta.Namespace;
import volsh.meta.PathRules;
import volsh.meta.Way;

/** What a mount needs to keep the kernel's caches coherent with changes made elsewhere. Thread-safe. */
public final class Coherence {
    private final Namespace names;
    private final Chunks chunks;
    private final List<Restored> restored = new CopyOnWriteArrayList<>();

    Coherence(Namespace names, Chunks chunks) {
        this.names = names;
        this.chunks = chunks;
    }

    /** The policies of directories: how fresh the answers of mounts have to be. */
    public PathRules<Consistency> policies() {
        return names.consistencies();
    }

    /** How files below directories will be read. */
    public PathRules<Advice> advice() {
        return names.advice();
    }

    /**
     * Tells the listener from now on of parts of files that their sequential readers have passed. It must not block.
     */
    public void onPassed(PassedRange listener) {
        chunks.onPassed(listener);
    }

    /** Follows the changes that other processes make, see {@link Namespace#follow}. */
    public MetaEngine.Following follow(Namespace.Watcher watcher) {
        return names.follow(watcher);
    }

    /** See {@link Namespace#onChangedHere}. */
    public void onChangedHere(Runnable listener) {
        names.onChangedHere(listener);
    }

    /** Checks that these entries still lead where they led. @throws volsh.meta.WayLostException if one does not */
    public void requireWays(List<Way> ways) throws IOException {
        names.requireWays(ways);
    }

    /** Is told of versions of files that have the bytes of the version before. Must not block. */
    public interface Restored {
        void sameBytes(long ino, long version);
    }

    /** Calls the listener from now on for files that are stored again by this process, as they are. */
    public void onRestored(Restored listener) {
        restored.add(listener);
    }

    void restored(long ino, long version) {
        restored.forEach(listener -> listener.sameBytes(ino, version));
    }

    /** As {@link OpenFile#versionBehind}, of a file that may not be open here. */
    public long versionBehind(long ino, long known) {
        return chunks.versionBehind(ino, known);
    }
}
