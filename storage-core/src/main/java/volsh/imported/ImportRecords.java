package volsh.imported;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import volsh.block.StoreUrl;
import volsh.catalog.Records;
import volsh.engine.Keys;
import volsh.engine.MetaEngine;
import volsh.meta.ImportedFiles.Marker;

/** The imports of a volume. */
public final class ImportRecords {
    private static final int IMPORTS_MAX = 10_000;

    private final MetaEngine engine;
    private final InstantSource clock;

    public ImportRecords(MetaEngine engine, InstantSource clock) {
        this.engine = engine;
        this.clock = clock;
    }

    /** All of them, in the order of their settings. */
    public List<ImportRecord> list() throws IOException {
        return engine.read(ImportRecords::list);
    }

    private static List<ImportRecord> list(MetaEngine.Transaction tx) throws IOException {
        var prefix = Keys.setting(ImportRecord.PREFIX);
        var found = new ArrayList<ImportRecord>();
        for (var row : tx.scan(prefix, prefix.afterPrefix(), IMPORTS_MAX)) {
            var setting = new String(row.key().bytes(), StandardCharsets.US_ASCII).substring(1);
            found.add(ImportRecord.parse(setting, row.value()));
        }
        return found;
    }

    public Optional<ImportRecord> find(int number) throws IOException {
        var setting = ImportRecord.PREFIX + number;
        byte[] row = engine.read(tx -> tx.get(Keys.setting(setting)));
        return row == null ? Optional.empty() : Optional.of(ImportRecord.parse(setting, row));
    }

    /** The import of this bucket into this directory. */
    public Optional<ImportRecord> find(StoreUrl url, long directory) throws IOException {
        return list().stream().filter(each -> each.directory() == directory && each.url().equals(url)).findFirst();
    }

    /** The imports into this directory. */
    public List<ImportRecord> into(long directory) throws IOException {
        return list().stream().filter(each -> each.directory() == directory).toList();
    }

    /**
     * Begins an import, or goes on with an unfinished one. From the first one on, the volume's record has a form that
     * earlier versions refuse: they would find no row for the blocks of imported files.
     */
    ImportRecord begin(StoreUrl url, long directory) throws IOException {
        return engine.transact(tx -> {
            var all = list(tx);
            var known = all.stream().filter(each -> each.directory() == directory && each.url().equals(url))
                    .findFirst();
            if (known.isPresent() && known.get().finished().isEmpty()) {
                return known.get();
            }
            int number = all.stream().mapToInt(ImportRecord::number).max().orElse(0) + 1;
            var record = known.map(each -> each.startedAgain(clock.instant())).orElseGet(() -> new ImportRecord(
                    number, url, directory, clock.instant(), Optional.empty(), ""));
            write(tx, record);
            var spec = Keys.setting(Records.SPEC);
            byte[] row = tx.get(spec);
            if (row != null && !Records.volume(row).hasImports()) {
                tx.put(spec, Records.toBytes(Records.volume(row).withImports()));
            }
            return record;
        });
    }

    private static void write(MetaEngine.Transaction tx, ImportRecord record) throws IOException {
        tx.put(Keys.setting(record.setting()), record.toBytes());
    }

    void set(ImportRecord record) throws IOException {
        engine.transact(tx -> {
            write(tx, record);
            return null;
        });
    }

    static Marker marker(ImportRecord record) throws IOException {
        return new Marker(Keys.setting(record.setting()), record.toBytes());
    }
}
