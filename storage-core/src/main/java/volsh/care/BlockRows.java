package volsh.care;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import volsh.fs.BlockRow;
import volsh.inventory.PlaceRows;

/**
 * All rows of blocks in the order of their ids, read a page at a time; rows that are added behind the position are
 * included.
 */
public final class BlockRows implements Iterator<BlockRow> {
    private final PlaceRows rows;
    private Iterator<BlockRow> page = List.<BlockRow>of().iterator();
    private long last;
    private boolean over;

    public BlockRows(PlaceRows rows) {
        this.rows = rows;
    }

    @Override
    public boolean hasNext() {
        if (!page.hasNext() && !over) {
            try {
                page = rows.blocks(last).iterator();
            } catch (IOException failed) {
                throw new UncheckedIOException(failed);
            }
            over = !page.hasNext();
        }
        return page.hasNext();
    }

    @Override
    public BlockRow next() {
        if (!hasNext()) {
            throw new NoSuchElementException();
        }
        var row = page.next();
        last = row.id();
        return row;
    }
}
