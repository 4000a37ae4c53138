package volsh.meta;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import volsh.fs.Attributes;
import volsh.fs.DirectoryEntry;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.Name;

/** What a path has led to over time, as far as that was kept. */
public final class Versions {
    private static final int PAGE = 500;

    private final MetaEngine engine;
    private final InstantSource clock;

    public Versions(MetaEngine engine, InstantSource clock) {
        this.engine = engine;
        this.clock = clock;
    }

    /**
     * What was there from tick {@code since} until {@code end}; until now if that is empty.
     *
     * @param seen a tick at which it can be read; empty for what is kept for others and cannot be
     */
    public record Version(long since, OptionalLong end, Attributes attributes, OptionalLong seen) {}

    /** A row and the ticks {@code [since, end)} in which it was current. */
    private record Row(long since, long end, byte[] value) {}

    /** The versions of what had this path, oldest first. Names that are gone are followed as they were last. @throws FsException NO_ENTRY */
    public List<Version> of(List<Name> path) throws IOException {
        if (path.isEmpty()) {
            return versions(Namespace.ROOT, 0, Long.MAX_VALUE);
        }
        long directory = Namespace.ROOT;
        for (var name : path.subList(0, path.size() - 1)) {
            var rows = rows(Keys.entry(directory, name));
            if (rows.isEmpty()) {
                throw new FsException(FsError.NO_ENTRY);
            }
            directory = entry(name, rows.getLast()).ino();
        }
        var versions = new ArrayList<Version>();
        for (var row : rows(Keys.entry(directory, path.getLast()))) {
            versions.addAll(versions(entry(path.getLast(), row).ino(), row.since(), row.end()));
        }
        if (versions.isEmpty()) {
            throw new FsException(FsError.NO_ENTRY);
        }
        return versions;
    }

    /** The newest tick that can be read at which the directory had this name; empty if none is known. */
    public OptionalLong lastSeen(long directory, Name name) throws IOException {
        for (var row : rows(Keys.entry(directory, name)).reversed()) {
            var seen = seen(row.since(), row.end());
            if (seen.isPresent()) {
                return seen;
            }
        }
        return OptionalLong.empty();
    }

    private static DirectoryEntry entry(Name name, Row row) {
        return View.entry(name, View.content(row.value()));
    }

    /** Every version of a row that is kept, the current one last. */
    private List<Row> rows(MetaKey key) throws IOException {
        var rows = new ArrayList<Row>();
        for (var from = Keys.history(key, 0); from != null; ) {
            var start = from;
            boolean last = engine.read(tx -> {
                var page = tx.scan(start, Keys.history(key, Long.MAX_VALUE), PAGE);
                for (var row : page) {
                    rows.add(new Row(since(row.value()), Keys.end(row.key()), row.value()));
                }
                byte[] now = page.size() < PAGE ? tx.get(key) : null;
                if (now != null) {
                    rows.add(new Row(since(now), Long.MAX_VALUE, now));
                }
                return page.size() < PAGE;
            });
            from = last ? null : Keys.history(key, rows.getLast().end() + 1);
        }
        return rows;
    }

    private static long since(byte[] row) {
        return ByteBuffer.wrap(row).getLong();
    }

    private List<Version> versions(long ino, long from, long to) throws IOException {
        var versions = new ArrayList<Version>();
        for (var row : rows(Keys.node(ino))) {
            long since = Math.max(row.since(), from);
            long end = Math.min(row.end(), to);
            if (since < end) {
                versions.add(new Version(since, end == Long.MAX_VALUE ? OptionalLong.empty() : OptionalLong.of(end),
                        NodeRow.parse(View.content(row.value())).attributes(ino), seen(since, end)));
            }
        }
        return versions;
    }

    private OptionalLong seen(long since, long end) throws IOException {
        return engine.read(tx -> {
            long running = Math.max(Moments.running(tx), clock.instant().getEpochSecond());
            return end == Long.MAX_VALUE ? OptionalLong.of(running) : Moments.newestShowing(tx, since, end, running);
        });
    }
}
