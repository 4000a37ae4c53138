package volsh.vfs;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;
import volsh.chunk.Chunks;
import volsh.meta.Namespace;
import volsh.meta.SmallFiles;

/** Stores the small files of a volume together, see {@link FilePacking}, and tells which are not. */
public final class SmallFilePacking {
    private final Namespace names;
    private final Chunks chunks;
    private final HeldTicks held;
    private final Coherence coherence;

    SmallFilePacking(Namespace names, Chunks chunks, HeldTicks held, Coherence coherence) {
        this.names = names;
        this.chunks = chunks;
        this.held = held;
        this.coherence = coherence;
    }

    /** Packs a file, or the files of a directory and, if {@code below}, of everything below it. */
    public PackingReport pack(long ino, boolean below, PackingRules rules, PackingListener listener)
            throws IOException {
        var packing = new FilePacking(new SmallFiles(names.changes()), chunks, held, coherence, rules, listener);
        new PackingWalk(names, packing, listener).add(ino, below);
        return packing.end();
    }

    /** Calls the listener with each small file that is written into a block of its own. */
    public void onSmall(LongConsumer listener) {
        chunks.onSmall(listener);
    }

    /** The directories of those of these files that exist, and how many of the files each has. */
    public Map<Long, Integer> directories(List<Long> inos) throws IOException {
        return new SmallFiles(names.changes()).directories(inos);
    }
}
