package volsh.assembly;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import volsh.block.BlockKey;
import volsh.block.BlockStore;
import volsh.catalog.VolumeSpec;
import volsh.codec.BlockCodec;
import volsh.codec.BlockIdentity;
import volsh.codec.CorruptBlockException;
import volsh.codec.FrameEncryption;
import volsh.codec.FrameIndex;
import volsh.fs.BlockRow;
import volsh.place.BlockRepair.Condition;
import volsh.place.BlockRepair.Findings;
import volsh.place.Member;
import volsh.place.Part;
import volsh.place.Placement.Check;
import volsh.place.PlacementRecords.Located;
import volsh.place.StoreHealth;
import volsh.upkeep.check.BlockParts;

/** The parts of blocks as the stores of a volume have them: for checks, and for garbage collection. */
public final class PlacedParts implements BlockParts, AutoCloseable {
    private static final String BLOCKS = "blocks/";

    private final VolumeSpec spec;
    private final PlacedBlocks spot;
    private final BlockCodec codec;
    private final Map<Integer, Member> there = new TreeMap<>();
    private final Map<Integer, String> names = new TreeMap<>();
    private final Map<Integer, String> away = new TreeMap<>();

    /** The stores were {@link StoreSet#admit looked at} before. */
    public PlacedParts(VolumeSpec spec, PlacedBlocks spot, FrameEncryption encryption) throws IOException {
        this.codec = new BlockCodec(encryption);
        this.spec = spec;
        this.spot = spot;
        for (var member : spot.store().members().all()) {
            names.put(member.number(), member.name());
            if (member.health().state() == StoreHealth.State.DOWN) {
                away.put(member.number(), member.health().reason().orElse("it does not answer"));
            } else {
                there.put(member.number(), member);
            }
        }
    }

    /** An object of a block in a store. */
    public record Found(int store, Part.Named named, BlockStore.Listed object) {}

    /** What is done with an object. */
    public interface Visit {
        void object(Found found) throws IOException;
    }

    /** Every object of a block, in all stores that answer. */
    public void each(Visit visit) throws IOException {
        for (var member : there.values()) {
            try (Stream<BlockStore.Listed> listed = member.store().list(BLOCKS)) {
                for (var object : (Iterable<BlockStore.Listed>) listed::iterator) {
                    var named = Part.named(member.number(), object.key());
                    if (named.isPresent()) {
                        visit.object(new Found(member.number(), named.get(), object));
                    }
                }
            } catch (UncheckedIOException failed) {
                throw failed.getCause();
            }
        }
    }

    /** The stores that answer. */
    public List<BlockStore> stores() {
        return there.values().stream().map(Member::store).toList();
    }

    /** Whether the block has a row by which this is no part of it. */
    public boolean isElsewhere(long block, Part part) throws IOException {
        var row = spot.rows().block(block);
        return row.isPresent() && !spot.store().repair().objects(block, located(row.get())).containsKey(part);
    }

    public void delete(int store, BlockKey key) throws IOException {
        Objects.requireNonNull(there.get(store)).store().delete(key);
    }

    // ---- for checks

    @Override
    public void list(Sink sink) throws IOException {
        each(found -> sink.take(found.named().block(), found.store(), found.named().part().shard(),
                found.object().size()));
    }

    @Override
    public List<BlockParts.Wanted> of(BlockRow row) throws IOException {
        return spot.store().repair().objects(row.id(), located(row)).entrySet().stream()
                .map(each -> new BlockParts.Wanted(each.getKey().store(), each.getKey().shard(), each.getValue()))
                .toList();
    }

    private static Located located(BlockRow row) {
        return new Located(row.layout(), row.storedSize());
    }

    @Override
    public Map<Integer, String> away() {
        return Map.copyOf(away);
    }

    @Override
    public String store(int number) {
        return names.getOrDefault(number, "number " + number);
    }

    @Override
    public Look look(BlockRow row, boolean deep) throws IOException {
        if (spot.rows().block(row.id()).isEmpty()) {
            return new Look(List.of(), List.of(), List.of(), 0, true);   // it was deleted meanwhile
        }
        var repair = spot.store().repair();
        var found = deep ? repair.examine(row.id(), check(row)) : repair.glance(row.id(), located(row));
        return new Look(those(found, Condition.MISSING, "missing"), those(found, Condition.DAMAGED, "damaged"),
                those(found, Condition.UNKNOWN, "not shown"), (int) found.count(Condition.UNKNOWN), found.isRight());
    }

    /** The parts that are so, without those of stores that are away: that is told once. */
    private List<String> those(Findings found, Condition wanted, String word) {
        var texts = new ArrayList<String>();
        for (int i = 0; i < found.parts().size(); i++) {
            var part = found.parts().get(i);
            if (found.conditions().get(i) == wanted && !away.containsKey(part.store())) {
                texts.add("%s in store '%s' is %s".formatted(part.isWhole() ? "the copy" : "shard " + part.shard(),
                        store(part.store()), word));
            }
        }
        return texts;
    }

    /** Down to the decompression of every frame. */
    private Check check(BlockRow row) throws IOException {
        var identity = new BlockIdentity(spec.id(), row.id());
        var index = FrameIndex.parse(row.index());
        return stored -> {
            try {
                return stored.remaining() == index.storedSize() && codec.verify(identity, stored).equals(index);
            } catch (CorruptBlockException damaged) {
                return false;
            }
        };
    }

    @Override
    public boolean mend(BlockRow row) throws IOException {
        return spot.store().repair().mend(row.id(), check(row)).repaired() > 0;
    }

    @Override
    public Optional<BlockKey> find(long block) throws IOException {
        return spot.store().repair().find(block, spot.rows().arrangements())
                .map(found -> BlockKey.of(block, found.arrangement(), found.stored()));
    }

    @Override
    public void close() {
        codec.close();
    }
}
