package volsh.assembly;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import volsh.block.StoreUrl;
import volsh.catalog.VolumeSpec;
import volsh.place.Layout;
import volsh.place.LayoutPolicy;

/**
 * How many more bytes of files a volume can take. Blocks go to its stores in turn, so all get the same, and the volume
 * is full when one of them is; a mirror takes every byte several times, erasure coding a little more than once; stores
 * on one disk share it.
 */
public final class VolumeSpace {
    private final Map<Object, Disk> disks = new HashMap<>();
    private final Layout layout;
    private int stores;

    /** Some of the stores, on a disk with {@code free} free bytes. */
    private record Disk(int stores, long free) {}

    VolumeSpace(Layout layout) {
        this.layout = layout;
    }

    /** Of a volume, for what its layout does with most of a large file; empty where no store says what it can take. */
    public static OptionalLong of(VolumeSpec spec, Stores stores, Assembly assembly) throws IOException {
        if (spec.spread().isNone()) {
            return assembly.free(stores.find(spec.store()));
        }
        var component = spec.spread().policy().orElse(LayoutPolicy.SINGLE).components().getLast();
        var room = new VolumeSpace(component.layout());
        for (var name : spec.stores()) {
            var store = stores.find(name);
            if (!spec.spread().leaving().contains(name)
                    && component.pool().stream().allMatch(store.pools()::contains)) {
                var disk = assembly.fileStore(store);
                if (disk.isPresent()) {
                    room.add(disk.get(), assembly.free(store).orElseThrow());
                } else if (store.url().scheme() != StoreUrl.Scheme.FILE) {
                    room.addBoundless();
                }
            }
        }
        return room.bytes();
    }

    /** One more store, on this disk. */
    void add(Object disk, long free) {
        disks.merge(disk, new Disk(1, free),
                (before, more) -> new Disk(before.stores() + more.stores(), before.free()));
        stores++;
    }

    /** One more store, which is never full. */
    void addBoundless() {
        stores++;
    }

    OptionalLong bytes() {
        double copies = switch (layout) {
            case Layout.Striped _ -> 1;
            case Layout.Mirrored(int count, int _) -> count;
            case Layout.ErasureCoded(int data, int parity) -> (data + parity) / (double) data;
        };
        return disks.values().stream().mapToLong(disk -> (long) (disk.free() / copies * stores / disk.stores())).min();
    }
}
