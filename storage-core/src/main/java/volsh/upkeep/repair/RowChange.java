package volsh.upkeep.repair;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import volsh.engine.MetaEngine;
import volsh.engine.MetaKey;

/** A row before and after; null for a missing one. If {@code wasDamaged}, it is replaced whatever it contains. */
record RowChange(MetaKey key, byte @Nullable [] before, byte @Nullable [] after, boolean wasDamaged) {
    /** Everything needed to undo it. */
    Map<String, Object> toJson() {
        var fields = new LinkedHashMap<String, Object>();
        fields.put("row", key.toString());
        fields.put("before", before == null ? null : HexFormat.of().formatHex(before));
        fields.put("after", after == null ? null : HexFormat.of().formatHex(after));
        return fields;
    }

    boolean isNothing() {
        return !wasDamaged && Arrays.equals(before, after);
    }

    void apply(MetaEngine.Transaction tx) throws java.io.IOException {
        if (!wasDamaged && !Arrays.equals(tx.get(key), before)) {
            throw new java.io.IOException("row %s changed while it was being repaired".formatted(key));
        }
        if (after == null) {
            tx.delete(key);
        } else {
            tx.put(key, after);
        }
    }
}
