package volsh.cache.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.function.LongFunction;
import volsh.disk.Disk;

/** Requests to several directories as one: each gets those for its own blocks. */
record SharedUpkeep(List<CacheDirectories.Place> places, LongFunction<CacheDirectories.Place> placeOf)
        implements DiskTierRequests {
    private DiskTierRequests of(long block) {
        return placeOf.apply(block).tier().upkeep();
    }

    @Override
    public KeepRequest claim(boolean ahead) {
        return new KeepRequest(places.stream().map(place -> place.tier().upkeep().claim(ahead).since().getFirst())
                .toList(), ahead);
    }

    @Override
    public boolean[] has(long block, int first, int count) {
        return of(block).has(block, first, count);
    }

    @Override
    public RetainedFrames keep(long block, int frameCount, int first, int[] lengths, ByteBuffer stored,
            KeepRequest claim) {
        return of(block).keep(block, frameCount, first, lengths, stored,
                claim.of(places.indexOf(placeOf.apply(block))));
    }

    @Override
    public boolean verify(long block) {
        return of(block).verify(block);
    }

    private BlockSet part(BlockSet blocks, CacheDirectories.Place place) {
        return blocks.where(block -> placeOf.apply(block).equals(place));
    }

    @Override
    public long evict(BlockSet blocks) {
        long freed = 0;
        for (var place : places) {
            freed += place.tier().upkeep().evict(part(blocks, place));
        }
        return freed;
    }

    @Override
    public BlockSet expire(BlockSet blocks, Instant before) {
        var gone = BlockSet.EMPTY;
        for (var place : places) {
            gone = gone.plus(place.tier().upkeep().expire(part(blocks, place), before));
        }
        return gone;
    }

    /** Pins in all directories or in none: where it was pinned before another directory refused, it is restored. */
    @Override
    public void pin(Pin pin) throws IOException {
        var before = new LinkedHashMap<DiskTierRequests, Optional<Pin>>();
        try {
            for (var place : places) {
                var upkeep = place.tier().upkeep();
                var old = upkeep.pins().stream().filter(each -> each.path().equals(pin.path())).findFirst();
                upkeep.pin(pin.of(part(pin.blocks(), place)));
                before.put(upkeep, old);
            }
        } catch (IOException refused) {
            for (var done : before.entrySet()) {
                restore(done.getKey(), pin.path(), done.getValue());
            }
            throw refused;
        }
    }

    private static void restore(DiskTierRequests upkeep, String path, Optional<Pin> old) throws IOException {
        if (old.isPresent()) {
            upkeep.pin(old.get());
        } else {
            upkeep.unpin(path);
        }
    }

    @Override
    public boolean unpin(String path) throws IOException {
        boolean any = false;
        for (var place : places) {
            any |= place.tier().upkeep().unpin(path);
        }
        return any;
    }

    /** Each path once, with the blocks of all directories. */
    @Override
    public List<Pin> pins() {
        var byPath = new LinkedHashMap<String, Pin>();
        for (var place : places) {
            for (var pin : place.tier().upkeep().pins()) {
                byPath.merge(pin.path(), pin, (one, other) -> one.of(one.blocks().plus(other.blocks())));
            }
        }
        return List.copyOf(byPath.values());
    }

    @Override
    public void expirePins() {
        places.forEach(place -> place.tier().upkeep().expirePins());
    }

    @Override
    public void resize(Path directory, long quotaBytes) throws IOException {
        for (var place : places) {
            if (place.tier().usage().stream()
                    .anyMatch(usage -> Disk.directoryOf(usage.directory()).equals(directory))) {
                place.tier().upkeep().resize(directory, quotaBytes);
                return;
            }
        }
        DiskTierRequests.super.resize(directory, quotaBytes);
    }
}
