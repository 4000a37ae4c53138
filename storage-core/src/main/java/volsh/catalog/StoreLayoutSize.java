package volsh.catalog;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import volsh.fs.BlockRow;
import volsh.inventory.PlaceRows;
import volsh.inventory.VolumeUsage;
import volsh.place.Arrangement;
import volsh.place.Layout;

/**
 * How many bytes a volume takes in all its stores: metadata counts each block once, stores have copies and parity, too.
 * Blocks of one volume may have several layouts, and no counter tells how many have which. So the first {@link #EXACT}
 * blocks are counted; of more blocks, a sample is counted, and the rest is taken to be like it.
 */
public final class StoreLayoutSize {
    static final int EXACT = 2000;
    private static final int PAGE = 400;
    private static final int SAMPLES = 16;
    private static final int SAMPLE = 100;

    private final PlaceRows rows;
    private final Map<Integer, Layout> layouts = new HashMap<>();
    private long counted;
    private long everywhere;

    private StoreLayoutSize(PlaceRows rows) throws IOException {
        this.rows = rows;
        for (int number : rows.arrangements()) {
            layouts.put(number, rows.layout(number).map(text -> Arrangement.of(text).layout())
                    .orElse(Arrangement.FIRST.layout()));
        }
    }

    /** What the volume uses, with the bytes of all its stores. */
    public static VolumeUsage of(VolumeUsage usage, VolumeSpec spec, PlaceRows rows) throws IOException {
        if (spec.spread().isNone() || usage.storedBytes() <= 0) {
            return usage;
        }
        var size = new StoreLayoutSize(rows);
        boolean single = size.layouts.values().stream().allMatch(Layout.Striped.class::isInstance);
        return single ? usage : new VolumeUsage(usage.bytes(), usage.inodes(), size.of(usage.storedBytes()));
    }

    private long of(long stored) throws IOException {
        long next = 0;
        for (int seen = 0; seen < EXACT; seen += PAGE) {
            var page = rows.some(next, PAGE);
            page.forEach(this::count);
            if (page.size() < PAGE) {
                return scaled(stored);
            }
            next = page.getLast().id() + 1;
        }
        long last = last(next);
        for (int i = 0; i < SAMPLES; i++) {
            rows.some(next + (last - next) / SAMPLES * i, SAMPLE).forEach(this::count);
        }
        return scaled(stored);
    }

    private void count(BlockRow row) {
        counted += row.storedSize();
        everywhere += layouts.getOrDefault(row.layout(), Arrangement.FIRST.layout()).everywhere(row.storedSize());
    }

    /** Blocks that wait to be deleted are among those that were looked at, and not in the sum. */
    private long scaled(long stored) {
        return counted == 0 ? stored : counted == stored ? everywhere
                : Math.round((double) stored * everywhere / counted);
    }

    /** About the largest id there is: none is twice as large. */
    private long last(long known) throws IOException {
        long last = Math.max(1, known);
        for (List<BlockRow> beyond = rows.some(last * 2, 1); !beyond.isEmpty() && last < Long.MAX_VALUE / 4;
                beyond = rows.some(last * 2, 1)) {
            last = beyond.getFirst().id();
        }
        return last;
    }
}
