package volsh.history;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import volsh.engine.Keys;
import volsh.engine.MetaEngine;
import volsh.engine.MetaKey;
import volsh.fs.Attributes;
import volsh.fs.DirectoryEntry;
import volsh.fs.FileKind;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.Name;
import volsh.inventory.Row;
import volsh.meta.Moments;
import volsh.meta.Namespace;
import volsh.meta.NodeRow;
import volsh.meta.View;

/** What a path has referred to over time, as far as that was kept. */
public final class Versions {
    private static final int PAGE = 500;

    private final MetaEngine engine;
    private final InstantSource clock;

    public Versions(MetaEngine engine, InstantSource clock) {
        this.engine = engine;
        this.clock = clock;
    }

    /**
     * What existed from tick {@code since} until {@code end}; until now if that is empty. If both are the same tick, it
     * was gone before the tick ended, and can only be read as something {@link Sight removed} in it.
     *
     * @param seen a tick at which it can be read; empty if it is kept for other reasons and cannot be read, or was gone
     * before its tick ended
     */
    public record Version(long since, OptionalLong end, Attributes attributes, OptionalLong seen) {
        /** Whether it was gone before the tick ended. */
        public boolean isBrief() {
            return end.isPresent() && end.getAsLong() == since;
        }
    }

    /**
     * Where something removed can be read: at the end of the tick, or among what was {@code removed} in it.
     *
     * @param removal the ticks of its removal, if it was removed: the last of them is the tick
     */
    public record Sight(long tick, boolean removed, RemovalSpan removal) {
        static Sight at(long tick) {
            return new Sight(tick, false, RemovalSpan.of(tick + 1));
        }

        static Sight removed(RemovalSpan removal) {
            return new Sight(removal.last(), true, removal);
        }
    }

    /** A row and the ticks {@code [since, end)} in which it was current. */
    private record Current(long since, long end, byte[] value) {}

    /**
     * The versions of this path, oldest first. Removed names are followed to their last state.
     * @throws FsException NO_ENTRY
     */
    public List<Version> of(List<Name> path) throws IOException {
        if (path.isEmpty()) {
            return versions(Namespace.ROOT, 0, Long.MAX_VALUE);
        }
        long directory = Namespace.ROOT;
        for (var name : path.subList(0, path.size() - 1)) {
            directory = last(directory, name);
        }
        var versions = new ArrayList<Version>();
        for (var row : rows(Keys.entry(directory, path.getLast()))) {
            versions.addAll(versions(entry(path.getLast(), row).ino(), row.since(), row.end()));
        }
        for (var row : kept(directory, path.getLast())) {
            versions.add(new Version(row.tick(), OptionalLong.of(row.tick()), row.node().attributes(row.ino()),
                    OptionalLong.empty()));
        }
        versions.sort(Comparator.comparingLong(Version::since)
                .thenComparingLong(version -> version.end().orElse(Long.MAX_VALUE)));
        if (versions.isEmpty()) {
            throw new FsException(FsError.NO_ENTRY);
        }
        return versions;
    }

    /** The inode that the name referred to last. @throws FsException NO_ENTRY */
    private long last(long directory, Name name) throws IOException {
        var rows = rows(Keys.entry(directory, name));
        var brief = kept(directory, name);
        if (rows.isEmpty() && brief.isEmpty()) {
            throw new FsException(FsError.NO_ENTRY);
        }
        return rows.isEmpty() || !brief.isEmpty() && brief.getLast().tick() >= rows.getLast().end()
                ? brief.getLast().ino() : entry(name, rows.getLast()).ino();
    }

    /** Where the directory last has this name, as late as possible; empty if that was not kept. */
    public Optional<Sight> lastSeen(long directory, Name name) throws IOException {
        var rows = rows(Keys.entry(directory, name));
        var brief = kept(directory, name);
        if (!brief.isEmpty() && (rows.isEmpty() || brief.getLast().tick() >= rows.getLast().end())) {
            return Optional.of(briefly(brief.getLast()));
        }
        for (var row : rows.reversed()) {
            var seen = seen(row.since(), row.end());
            if (seen.isPresent()) {
                return Optional.of(seen(name, row, seen.getAsLong()));
            }
        }
        return Optional.empty();
    }

    /** Where this inode last has the name; empty if that was not kept. */
    public Optional<Sight> lastSeen(long directory, Name name, long ino) throws IOException {
        var brief = kept(directory, name).stream().filter(row -> row.ino() == ino).toList();
        for (var row : rows(Keys.entry(directory, name)).reversed()) {
            if (!brief.isEmpty() && brief.getLast().tick() >= row.end()) {
                break;   // it got the name again later, for less than a tick
            }
            var seen = entry(name, row).ino() == ino ? seen(row.since(), row.end()) : OptionalLong.empty();
            if (seen.isPresent()) {
                return Optional.of(seen(name, row, seen.getAsLong()));
            }
        }
        return brief.isEmpty() ? Optional.empty() : Optional.of(briefly(brief.getLast()));
    }

    private Sight briefly(Row.Removed row) throws IOException {
        var whole = row.kind() == FileKind.DIRECTORY ? removal(row.ino(), row.since(), row.tick())
                : Optional.<RemovalSpan>empty();
        return Sight.removed(whole.orElse(RemovalSpan.of(row.tick())));
    }

    /** A directory is removed when it is empty: its content was removed in the ticks before, changed in them or not. */
    private Sight seen(Name name, Current row, long seen) throws IOException {
        var entry = entry(name, row);
        boolean directory = entry.kind() == FileKind.DIRECTORY && seen == row.end() - 1;
        return (directory ? removal(entry.ino(), row.since(), row.end()) : Optional.<RemovalSpan>empty())
                .map(Sight::removed).orElse(Sight.at(seen));
    }

    /**
     * How this version of a directory was removed; empty if it is not a directory, still exists, or is too old for its
     * last state to be kept.
     */
    public Optional<RemovalSpan> removal(Version version) throws IOException {
        return version.attributes().isDirectory() && version.end().isPresent()
                ? removal(version.attributes().ino(), version.since(), version.end().getAsLong()) : Optional.empty();
    }

    private Optional<RemovalSpan> removal(long ino, long since, long tick) throws IOException {
        var earliest = new Moments(engine, clock).earliest();
        return earliest.isPresent() && earliest.getAsLong() < tick
                ? Optional.of(new TreeRemovals(engine, earliest.getAsLong()).of(ino, since, tick)) : Optional.empty();
    }

    /** What the name referred to and was gone before its tick ended, as far as the ticks are kept. */
    private List<Row.Removed> kept(long directory, Name name) throws IOException {
        var earliest = new Moments(engine, clock).earliest();
        return earliest.isEmpty() ? List.of()
                : Removals.of(engine, directory, name).stream().filter(row -> row.tick() >= earliest.getAsLong())
                .toList();
    }

    private static DirectoryEntry entry(Name name, Current row) {
        return View.entry(name, View.content(row.value()));
    }

    /** All kept versions of a row, the current one last. */
    private List<Current> rows(MetaKey key) throws IOException {
        var rows = new ArrayList<Current>();
        for (var from = Keys.history(key, 0); from != null; ) {
            var start = from;
            boolean last = engine.read(tx -> {
                var page = tx.scan(start, Keys.history(key, Long.MAX_VALUE), PAGE);
                for (var row : page) {
                    rows.add(new Current(since(row.value()), Keys.end(row.key()), row.value()));
                }
                byte[] now = page.size() < PAGE ? tx.get(key) : null;
                if (now != null) {
                    rows.add(new Current(since(now), Long.MAX_VALUE, now));
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
                        NodeRow.read(Keys.node(ino), row.value()).attributes(ino), seen(since, end)));
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
