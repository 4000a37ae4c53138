package volsh.place;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import volsh.block.BlockKey;
import volsh.block.BlockStore;
import volsh.block.BlockStore.Listed;

/**
 * The listings of all stores of a volume merged into one, in key order, read lazily. Parts of a block are adjacent in
 * each listing, because their names begin with that of the block. The length of a block is its stored length, and its
 * age that of its youngest part.
 */
final class PlacedListing {
    private static final String BLOCKS = "blocks/";

    private final Members members;
    private final PlacementRecords ledger;
    private final @Nullable BlockStore metadata;   // null: in the first store

    PlacedListing(Members members, PlacementRecords ledger, @Nullable BlockStore metadata) {
        this.members = members;
        this.ledger = ledger;
        this.metadata = metadata;
    }

    /**
     * An object of a store, and the key under which the volume knows it: that of its block, if it is a {@code part} of
     * one. Objects of the metadata's own store have no {@code member}.
     */
    private record Found(@Nullable Member member, BlockKey key, @Nullable Part part, Listed object) {}

    Stream<Listed> open(String prefix) throws IOException {
        var streams = new ArrayList<Stream<Found>>();
        try {
            for (var member : with(prefix)) {
                boolean first = member.number() == 1;
                streams.add(member.store().list(prefix).map(object -> found(member, object))
                        .filter(each -> each.part() == null ? first && !isShipped(each.key().text())
                                : each.key().text().startsWith(prefix)));
            }
            if (metadata != null && meet(prefix, PlacedStore.METADATA)) {
                streams.add(metadata.list(prefix).filter(each -> isShipped(each.key().text()))
                        .map(each -> new Found(null, each.key(), null, each)));
            }
        } catch (IOException | RuntimeException failed) {
            streams.forEach(Stream::close);
            throw failed;
        }
        Iterable<Listed> all = () -> new Merged(streams);
        return StreamSupport.stream(all.spliterator(), false).onClose(() -> streams.forEach(Stream::close));
    }

    /** The stores that may have something below the prefix: objects other than blocks are in the first. */
    private List<Member> with(String prefix) throws IOException {
        return meet(prefix, BLOCKS) ? members.all() : isShipped(prefix) ? List.of() : List.of(members.of(1));
    }

    private static boolean meet(String prefix, String other) {
        return prefix.startsWith(other) || other.startsWith(prefix);
    }

    private boolean isShipped(String name) {
        return metadata != null && name.startsWith(PlacedStore.METADATA);
    }

    private static Found found(Member member, Listed object) {
        return Part.named(member.number(), object.key())
                .map(named -> new Found(member, BlockKey.of(named.block()), named.part(), object))
                .orElseGet(() -> new Found(member, object.key(), null, object));
    }

    /** A listing and its current object. */
    private record Head(Found found, Iterator<Found> rest) implements Comparable<Head> {
        @Override
        public int compareTo(Head other) {
            return found.key().compareTo(other.found.key());
        }
    }

    private final class Merged implements Iterator<Listed> {
        private final PriorityQueue<Head> heads = new PriorityQueue<>();

        Merged(List<Stream<Found>> streams) {
            streams.forEach(stream -> advance(stream.iterator()));
        }

        private void advance(Iterator<Found> rest) {
            if (rest.hasNext()) {
                heads.add(new Head(rest.next(), rest));
            }
        }

        @Override
        public boolean hasNext() {
            return !heads.isEmpty();
        }

        @Override
        public Listed next() {
            var parts = new ArrayList<Found>();
            do {
                var head = heads.poll();
                if (head == null) {
                    throw new NoSuchElementException();
                }
                parts.add(head.found());
                advance(head.rest());
            } while (!heads.isEmpty() && heads.peek().found().key().equals(parts.getFirst().key()));
            var key = parts.getFirst().key();
            var modified = parts.stream().map(part -> part.object().modified()).max(Instant::compareTo).orElseThrow();
            return new Listed(key, stored(parts), modified);
        }
    }

    /** The stored length: that of an object which is not a shard; otherwise from the row, or recorded in the shard. */
    private long stored(List<Found> parts) {
        for (var each : parts) {
            if (each.part() == null || each.part().isWhole()) {
                return each.object().size();
            }
        }
        try {
            var shard = parts.getFirst();
            var row = ledger.located(shard.key().block().getAsLong());
            if (row.isPresent()) {
                return row.get().stored();
            }
            var trailer = ByteBuffer.allocate(Shard.TRAILER);
            Objects.requireNonNull(shard.member())
                    .get(shard.object().key(), shard.object().size() - Shard.TRAILER, trailer);
            return Shard.stored(trailer.flip());
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}
