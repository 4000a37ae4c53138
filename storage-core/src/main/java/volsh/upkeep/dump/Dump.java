package volsh.upkeep.dump;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import volsh.engine.Keys;
import volsh.engine.MetaDamagedException;
import volsh.engine.MetaEngine;
import volsh.inventory.Row;
import volsh.json.Json;
import volsh.meta.Ticks;
import volsh.upkeep.Cursor;
import volsh.upkeep.SpillSort;
import volsh.upkeep.Watcher;

/**
 * Writes a volume's metadata as lines of JSON, as of one tick, while it may be in use: the tick is pinned meanwhile, so
 * changes leave versions behind. Blocks are named, not included. What can be counted from the rest (references, usage,
 * entries of directories) is left out.
 */
public final class Dump {
    private static final int BATCH = 1000;

    private final MetaEngine engine;
    private final Ticks ticks;
    private final Path directory;

    /** {@code directory} is for temporary files. */
    public Dump(MetaEngine engine, Ticks ticks, Path directory) {
        this.engine = engine;
        this.ticks = ticks;
        this.directory = directory;
    }

    /** How many rows were written, and their digest. */
    public record Summary(long rows, long files, long bytes, String digest) {}

    public Summary run(String record, List<String> storeUrls, OutputStream target, Watcher watcher) throws IOException {
        long tick = ticks.pin();
        try (var blocks = new SpillSort(directory, 1)) {
            var out = new Lines(target);
            // Numbers in rows of this tick were assigned before it was closed.
            out.header(new DumpHeader(record, storeUrls, tick, next("inode"), next("block")));
            watcher.phase("rows", -1);
            for (char kind : DumpLoader.NAME_SPACE.toCharArray()) {
                names(new PastCursor(engine, kind, tick, watcher), blocks, out);
            }
            directories(tick, out, watcher);
            settings(out);
            blocks(blocks.sorted(), out, watcher);
            return out.end();
        } finally {
            ticks.unpin(tick);
        }
    }

    private long next(String of) throws IOException {
        var key = new Row.NextNumber(of, 0).entry().key();
        byte[] value = engine.read(tx -> tx.get(key));
        return value == null ? 2 : readable(Row.of(new MetaEngine.Entry(key, value))) instanceof Row.NextNumber number
                ? number.next() : 2;
    }

    private static void names(PastCursor rows, SpillSort blocks, Lines out) throws IOException {
        for (var row = rows.next(); row != null; row = rows.next()) {
            if (row instanceof Row.Run run) {
                blocks.add(run.block());
            }
            out.row(row);
        }
    }

    /** Adds the time of the last change of entries, which is not in the row of a directory, limited to the tick. */
    private void directories(long tick, Lines out, Watcher watcher) throws IOException {
        var nodes = new PastCursor(engine, 'N', tick, watcher);
        for (var row = nodes.next(); row != null; row = nodes.next()) {
            if (row instanceof Row.Node node && node.row().isDirectory()) {
                directory(node.ino(), tick, out);
            }
        }
    }

    private void directory(long ino, long tick, Lines out) throws IOException {
        var prefix = Row.from('S', ino);
        long changes = 0;
        long mtime = 0;
        for (var entry : engine.read(tx -> tx.scan(prefix, prefix.afterPrefix(), 256))) {
            if (readable(Row.of(entry)) instanceof Row.DirectoryCount count) {
                changes += count.counts().sums()[2];
                mtime = Math.max(mtime, count.counts().maxima()[0]);
            }
        }
        if (changes != 0 || mtime != 0) {
            var fields = new LinkedHashMap<String, Object>();
            fields.put("row", "changes");
            fields.put("directory", ino);
            fields.put("changes", changes);
            fields.put("mtime", Math.min(mtime, (tick + 1) * 1_000_000_000L - 1));
            out.write(fields);
        }
    }

    /** Layouts and missing parts, quotas, retention, and settings; pins belong to versions that are not in a dump. */
    private void settings(Lines out) throws IOException {
        for (char kind : DumpLoader.SETTINGS.toCharArray()) {
            var rows = Cursor.of(engine, kind, Watcher.NONE);
            while (rows.peek() != null) {
                switch (readable(Row.of(rows.next()))) {
                    case Row.Quota quota -> out.row(quota);
                    case Row.Layout layout -> out.row(layout);
                    case Row.Missing missing -> out.row(missing);
                    case Row.Retention(long window, _)
                            when window != 0 -> out.row(new Row.Retention(window, new long[0]));
                    case Row.Setting setting when !DumpLoader.OWN_SETTINGS.contains(setting.name()) -> out.row(setting);
                    default -> { }
                }
            }
        }
    }

    private void blocks(SpillSort.Sorted sorted, Lines out, Watcher watcher) throws IOException {
        Long last = null;
        while (sorted.peek() != null) {
            long id = sorted.next()[0];
            if (last == null || last != id) {
                block(id, out);
                watcher.advanced(1);
            }
            last = id;
        }
    }

    private void block(long id, Lines out) throws IOException {
        var key = Keys.block(id);
        var placeKey = Row.from('l', id);
        var found = engine.read(tx -> tx.getAll(List.of(key, placeKey)));
        if (!found.containsKey(key)) {
            throw new MetaDamagedException("metadata corrupt: no row for block %016x, which a file uses".formatted(id));
        }
        var line = RowText.write(readable(Row.of(new MetaEngine.Entry(key, found.get(key)))));
        if (found.containsKey(placeKey)
                && readable(Row.of(new MetaEngine.Entry(placeKey, found.get(placeKey)))) instanceof Row.Place place) {
            RowText.write(line, place);
        }
        out.write(line);
    }

    /** @throws MetaDamagedException if it is unreadable */
    static Row readable(Row row) throws MetaDamagedException {
        if (row instanceof Row.Unreadable broken) {
            throw new MetaDamagedException("metadata corrupt: row %s cannot be read: %s"
                    .formatted(broken.entry().key(), broken.why()));
        }
        return row;
    }

    /** The lines, and now and then a digest of those before it. */
    private static final class Lines {
        private final OutputStream target;
        private final MessageDigest digest = sha256();
        private @Nullable String headerDigest;
        private long rows;
        private long files;
        private long bytes;

        Lines(OutputStream target) {
            this.target = target;
        }

        /** The first line has a digest of its own. */
        void header(DumpHeader header) throws IOException {
            byte[] line = Json.line(header.toJson());
            target.write(line);
            headerDigest = HexFormat.of().formatHex(sha256().digest(line));
        }

        void row(Row row) throws IOException {
            if (row instanceof Row.Node node && !node.row().isDirectory()) {
                files++;
                bytes += node.row().size();
            }
            write(RowText.write(row));
        }

        void write(Map<String, Object> fields) throws IOException {
            byte[] line = Json.line(fields);
            digest.update(line);
            target.write(line);
            if (++rows % BATCH == 0) {
                target.write(Json.line(proof("sum")));
            }
        }

        private Map<String, Object> proof(String name) {
            var fields = new LinkedHashMap<String, Object>();
            fields.put(name, rows);
            fields.put("sha256", digest());
            return fields;
        }

        private String digest() {
            try {
                return HexFormat.of().formatHex(((MessageDigest) digest.clone()).digest());
            } catch (CloneNotSupportedException impossible) {
                throw new IllegalStateException(impossible);
            }
        }

        Summary end() throws IOException {
            var last = proof("end");
            last.put("header", headerDigest);
            target.write(Json.line(last));
            target.flush();
            return new Summary(rows, files, bytes, digest());
        }
    }

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
