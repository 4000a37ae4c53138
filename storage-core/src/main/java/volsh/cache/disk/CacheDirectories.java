package volsh.cache.disk;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import volsh.cache.Epochs;
import volsh.cache.FrameKey;

/**
 * Several cache directories as one. Each block belongs to one of them, chosen so that most blocks keep theirs when a
 * directory is added or removed; the blocks of a failing directory are not cached until it works again.
 */
public record CacheDirectories(List<Place> places) implements DiskTier {
    /** A directory, its permanent number, and what is closed with it, in this order. */
    public record Place(long number, DiskTier tier, List<Ending> endings) implements AutoCloseable {
        public Place {
            endings = List.copyOf(endings);
        }

        @Override
        public void close() {
            tier.close();
            endings.forEach(Ending::close);
        }
    }

    /** Something that is closed with its directory. */
    public interface Ending {
        void close();
    }

    public CacheDirectories {
        places = List.copyOf(places);
        if (places.isEmpty()) {
            throw new IllegalArgumentException("no cache directory");
        }
    }

    private DiskTier of(long block) {
        return placeOf(block).tier();
    }

    private Place placeOf(long block) {
        Place best = places.getFirst();
        long bestScore = Long.MIN_VALUE;
        for (var place : places) {
            long score = new FrameKey(block ^ place.number(), 0).mixed();
            if (score > bestScore) {
                best = place;
                bestScore = score;
            }
        }
        return best;
    }

    @Override
    public boolean isOn() {
        return true;
    }

    @Override
    public boolean[] read(long block, int first, int[] lengths, ByteBuffer stored) {
        return of(block).read(block, first, lengths, stored);
    }

    @Override
    public boolean readPiece(long block, int frame, int length, int from, ByteBuffer target) {
        return of(block).readPiece(block, frame, length, from, target);
    }

    @Override
    public int skew(long block, int frame) {
        return of(block).skew(block, frame);
    }

    @Override
    public void offer(long block, int frameCount, int first, @Nullable ByteBuffer[] stored) {
        of(block).offer(block, frameCount, first, stored);
    }

    @Override
    public void drop(long block) {
        of(block).drop(block);
    }

    @Override
    public DiskTierRequests upkeep() {
        return new SharedUpkeep(places, this::placeOf);
    }

    @Override
    public void recount() {
        places.forEach(place -> place.tier().recount());
    }

    @Override
    public List<DirectoryUsage> usage() {
        var all = new ArrayList<DirectoryUsage>();
        places.forEach(place -> all.addAll(place.tier().usage()));
        return List.copyOf(all);
    }

    @Override
    public List<Epochs> epochs() {
        return places.stream().flatMap(place -> place.tier().epochs().stream()).toList();
    }

    @Override
    public void close() {
        places.forEach(Place::close);
    }
}
