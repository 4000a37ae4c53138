package volsh.assembly;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import volsh.block.BlockStore;
import volsh.block.StoreUrl;
import volsh.catalog.Ownership;
import volsh.catalog.StoreLayout;
import volsh.catalog.VolumeSpec;
import volsh.engine.MetaEngine;
import volsh.inventory.PlaceRows;
import volsh.place.LayoutPolicy;
import volsh.place.Members;
import volsh.place.PlacedStore;
import volsh.place.PlacementRecords;

/**
 * The stores of a volume of which only a dump is at hand, to read its blocks; its layouts are in the volume that is
 * loaded from the dump.
 */
public final class DumpedStores implements Members.Source, PlacementRecords {
    private final VolumeSpec origin;
    private final List<String> urls;
    private final Assembly assembly;
    private final PlaceRows rows;

    public DumpedStores(VolumeSpec origin, List<String> urls, Assembly assembly, MetaEngine loaded) {
        this.origin = origin;
        this.urls = urls;
        this.assembly = assembly;
        this.rows = new PlaceRows(loaded);
    }

    public PlacedStore open() throws IOException {
        return new PlacedStore(this, this, () -> LayoutPolicy.SINGLE);
    }

    @Override
    public List<Members.Entry> list() {
        var entries = new ArrayList<Members.Entry>();
        for (int i = 0; i < urls.size(); i++) {
            if (!urls.get(i).equals(StoreLayout.VACANT)) {
                entries.add(new Members.Entry(i + 1, urls.get(i), List.of(), true));
            }
        }
        return entries;
    }

    @Override
    public BlockStore open(Members.Entry entry) throws IOException {
        return assembly.part(StoreUrl.of(entry.name()), origin.prefix());
    }

    @Override
    public void probe(BlockStore store, Members.Entry entry) throws IOException {
        Ownership.require(store, origin, entry.name());
    }

    /** The key of a block says where it is. */
    @Override
    public Optional<Located> located(long block) {
        return Optional.empty();
    }

    @Override
    public int policy(long ino) {
        return 0;
    }

    @Override
    public Optional<String> text(int number) throws IOException {
        return rows.layout(number);
    }

    @Override
    public int number(String text) {
        throw new IllegalStateException("a volume that is only read gets no layouts");
    }

    /** The volume is left as it is. */
    @Override
    public void missing(long block, Collection<Integer> stores) {}

    @Override
    public void found(long block, Collection<Integer> stores) {}
}
