package volsh.assembly;

import java.io.IOException;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import volsh.catalog.VolumeSpec;
import volsh.fs.BlockRow;
import volsh.inventory.PlaceRows;
import volsh.place.Arrangement;
import volsh.place.Part;
import volsh.ship.Replicas;

/**
 * Tells whether a committed file survives the loss of any one store: all parts of its blocks are where their layout
 * wants them, that layout can lose a store, and so can the shipped metadata. Not thread-safe.
 */
public final class Replication {
    /** For how long the answer whether all stores have the metadata is used again: a tree has many files. */
    private static final long FRESH_NANOS = 1_000_000_000;

    private final VolumeParts parts;
    private final VolumeSpec spec;
    private final PlaceRows rows;
    private final Map<Integer, Arrangement> arrangements = new HashMap<>();
    private boolean level;
    private long asked;

    public Replication(VolumeParts parts, VolumeSpec spec, PlaceRows rows) {
        this.parts = parts;
        this.spec = spec;
        this.rows = rows;
    }

    /** Can the volume's files be replicated, with its present layout? */
    public static boolean isPossible(VolumeSpec spec) {
        return spec.shipsMetadata() && VolumeParts.shippedTo(spec).size() > 1;
    }

    public boolean covers(Collection<BlockRow> blocks) throws IOException {
        if (!isPossible(spec)) {
            return false;
        }
        for (var block : blocks) {
            var where = arrangement(block.layout());
            if (where.layout().losses() == 0
                    || rows.isMissing(block.id(), where.parts(block.id()).stream().map(Part::store).toList())) {
                return false;
            }
        }
        return haveMetadata();
    }

    private Arrangement arrangement(int number) throws IOException {
        var known = number == 0 ? Arrangement.FIRST : arrangements.get(number);
        if (known == null) {
            known = Arrangement.of(rows.layout(number).orElseThrow(
                    () -> new IOException("metadata corrupt: no row for arrangement %d".formatted(number))));
            arrangements.put(number, known);
        }
        return known;
    }

    private boolean haveMetadata() throws IOException {
        long now = System.nanoTime();
        if (!level || now - asked > FRESH_NANOS) {
            try (var shipped = parts.openShipped(spec)) {
                level = shipped instanceof Replicas replicas && replicas.levelAll();
            }
            asked = now;
        }
        return level;
    }
}
