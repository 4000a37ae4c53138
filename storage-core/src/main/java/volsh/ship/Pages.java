package volsh.ship;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import volsh.block.BlockKey;
import volsh.engine.MetaKey;

/** The changes that the rows of a base have seen: up to one number, from each page's first key to the next page's. */
final class Pages {
    private final TreeMap<MetaKey, Long> changes = new TreeMap<>();

    void add(Page page) {
        changes.put(page.from(), page.change());
    }

    /** The last change that the row of this key has seen. */
    long change(MetaKey key) {
        Map.Entry<MetaKey, Long> page = changes.floorEntry(key);
        return page == null ? 0 : page.getValue();
    }

    static List<Page> of(BlockKey key, ShippedObject part) throws DamagedShipmentException {
        var in = ByteBuffer.wrap(part.content());
        var pages = new ArrayList<Page>();
        try {
            while (in.hasRemaining()) {
                pages.add(Page.read(in));
            }
            return pages;
        } catch (RuntimeException nonsense) {
            throw new DamagedShipmentException(key, nonsense);
        }
    }
}
