package volsh.care;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import volsh.assembly.PlacedParts;
import volsh.block.BlockStore;
import volsh.block.UnfinishedPut;

/** Bytes that interrupted puts of killed processes left in the stores of a volume, which no listing shows. */
final class CutOffPuts {
    private static final int NAMED_MAX = 20;

    private final List<BlockStore> stores;

    /** {@code parts}: of blocks, if the volume has several stores. */
    CutOffPuts(BlockStore store, Optional<PlacedParts> parts) {
        this.stores = parts.map(PlacedParts::stores).orElse(List.of(store));
    }

    /** Something that a put left, and where. */
    private record Left(BlockStore store, UnfinishedPut put) {}

    private List<Left> find(Instant now, Duration age) throws IOException {
        var found = new ArrayList<Left>();
        for (var store : stores) {
            for (var put : store.unfinished("")) {
                if (put.isAbandoned(now, age)) {
                    found.add(new Left(store, put));
                }
            }
        }
        return found;
    }

    /** Those that never will be finished, which is known of processes of this machine, and else from their age. */
    Garbage.CutOff count(Instant now, Duration age) throws IOException {
        return of(find(now, age));
    }

    /** The same, and removes them. */
    Garbage.CutOff remove(Instant now, Duration age, Garbage.Watcher watcher) throws IOException {
        var removed = new ArrayList<Left>();
        for (var left : find(now, age)) {
            if (watcher.cancelled()) {
                break;
            }
            left.store().discard(left.put());
            removed.add(left);
        }
        return of(removed);
    }

    private static Garbage.CutOff of(List<Left> found) {
        return new Garbage.CutOff(found.size(), found.stream().mapToLong(left -> left.put().bytes()).sum(),
                found.stream().limit(NAMED_MAX).map(left -> left.put().name()).toList());
    }
}
