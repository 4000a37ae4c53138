package volsh.command.key;

import java.util.List;
import volsh.catalog.VolumeSpec;
import volsh.command.render.Columns;
import volsh.crypt.WrappedKey;

/** A key of an encrypted volume as it is shown: never the key. */
record KeyRow(String volume, WrappedKey key) {
    static final Columns<KeyRow> COLUMNS = Columns.of(KeyRow.class)
            .text("key", row -> row.key().label())
            .text("volume", KeyRow::volume)
            .text("kind", row -> row.key().iterations() == 0 ? "key file" : "passphrase")
            .number("rounds", row -> row.key().iterations());

    static List<KeyRow> of(VolumeSpec spec) {
        return spec.encryption().keys().stream().map(key -> new KeyRow(spec.name(), key)).toList();
    }
}
