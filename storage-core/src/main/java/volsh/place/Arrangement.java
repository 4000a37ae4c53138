package volsh.place;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A layout on certain stores, in a certain order: together with the id of a block it says where the parts of that block
 * are, forever. Written as
 * {@code ec:4+2 on 1,2,3,4,5,6}; stores are numbered by the volume, from 1.
 */
public record Arrangement(Layout layout, List<Integer> stores) {
    /** The arrangement of blocks written before layouts existed: whole, in the first store. */
    public static final Arrangement FIRST = new Arrangement(new Layout.Striped(1), List.of(1));

    public Arrangement {
        stores = List.copyOf(stores);
        if (stores.size() < layout.storesMin() || stores.stream().distinct().count() < stores.size()) {
            throw new IllegalArgumentException("layout %s does not fit stores %s".formatted(layout, stores));
        }
    }

    public static Arrangement of(String text) {
        String[] parts = text.split(" on ");
        if (parts.length != 2 || !parts[1].matches("\\d{1,4}(,\\d{1,4})*")) {
            throw new IllegalArgumentException("invalid arrangement: '%s'".formatted(text));
        }
        return new Arrangement(Layout.of(parts[0]), Arrays.stream(parts[1].split(",")).map(Integer::valueOf).toList());
    }

    /** Where the parts of this block are, in order. Blocks rotate over the stores, to read neighbours in parallel. */
    public List<Part> parts(long block) {
        return switch (layout) {
            case Layout.Striped _ -> List.of(new Part(Part.WHOLE, store(block, 0)));
            case Layout.Mirrored(int copies, int _) -> parts(block, copies, false);
            case Layout.ErasureCoded(int data, int parity) -> parts(block, data + parity, true);
        };
    }

    private List<Part> parts(long block, int count, boolean shards) {
        var parts = new ArrayList<Part>(count);
        for (int i = 0; i < count; i++) {
            parts.add(new Part(shards ? i : Part.WHOLE, store(block, i)));
        }
        return parts;
    }

    private int store(long block, int index) {
        return stores.get((int) Math.floorMod(block + index, (long) stores.size()));
    }

    /** The same arrangement with one store replaced by another. */
    public Arrangement replacing(int store, int other) {
        return new Arrangement(layout, stores.stream().map(each -> each == store ? other : each).toList());
    }

    @Override
    public String toString() {
        return layout + " on " + stores.stream().map(String::valueOf).collect(Collectors.joining(","));
    }
}
