package volsh.place;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import volsh.block.BlockKey;
import volsh.place.PlacementRecords.Located;

/** Finds a block whose row is lost: the known arrangement under which most of its parts exist. */
final class Search {
    private static final int SHARD_MAX = 20 << 20;

    private final Members members;
    private final Arrangements arrangements;

    Search(Members members, Arrangements arrangements) {
        this.members = members;
        this.arrangements = arrangements;
    }

    /** An arrangement of which this many parts were found, and the length of the block, if shards record it. */
    private record Match(int number, int found, int total, long stored) {
        /** More parts found is better; then, fewer parts missing. */
        boolean isBetterThan(@Nullable Match other) {
            return other == null || found > other.found || found == other.found && total < other.total;
        }
    }

    /** The arrangement under which the block can be read; empty if there is none. */
    Optional<Located> find(long block, Collection<Integer> numbers) throws IOException {
        Match best = null;
        for (int number : numbers) {
            var arrangement = arrangements.arrangement(number);
            var match = match(block, number, arrangement);
            boolean enough = match.found() >= (arrangement.layout() instanceof Layout.Striped ? 1
                    : arrangement.layout().storesMin() - arrangement.layout().losses());
            best = enough && match.isBetterThan(best) ? match : best;
        }
        if (best == null) {
            return Optional.empty();
        }
        return Optional.of(new Located(best.number(), best.stored()));
    }

    private Match match(long block, int number, Arrangement arrangement) throws IOException {
        int found = 0;
        long stored = 0;
        var parts = arrangement.parts(block);
        for (var part : parts) {
            var length = arrangement.layout() instanceof Layout.ErasureCoded code ? shard(block, part, code)
                    : whole(block, part);
            found += length.isPresent() ? 1 : 0;
            stored = Math.max(stored, length.orElse(0));
        }
        return new Match(number, found, parts.size(), stored);
    }

    /** The length of the block that this shard belongs to; empty if the shard is missing, or of another code. */
    private OptionalLong shard(long block, Part part, Layout.ErasureCoded code) throws IOException {
        var object = read(part, part.key(block), ByteBuffer.allocate(SHARD_MAX));
        return object.isEmpty() ? OptionalLong.empty()
                : Shard.stored(block, part.shard(), code.data(), code.parity(), object.get());
    }

    private OptionalLong whole(long block, Part part) throws IOException {
        return read(part, part.key(block), ByteBuffer.allocate(1)).isPresent() ? OptionalLong.of(0)
                : OptionalLong.empty();
    }

    private Optional<ByteBuffer> read(Part part, BlockKey key, ByteBuffer room) throws IOException {
        if (!members.has(part.store())) {
            return Optional.empty();
        }
        try {
            members.of(part.store()).get(key, 0, room);
            return Optional.of(room.flip());
        } catch (IOException notThere) {
            return Optional.empty();
        }
    }
}
