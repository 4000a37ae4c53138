package volsh.meta;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import volsh.engine.Keys;
import volsh.engine.MetaEngine;

/** Finds paths of inode numbers, for reports: slow, and only exact if nothing is renamed meanwhile. */
public final class InodePaths {
    private static final int PAGE = 400;
    private static final int DEPTH_MAX = 500;

    private final MetaEngine engine;

    public InodePaths(MetaEngine engine) {
        this.engine = engine;
    }

    /** The path of an inode from the root, {@code /a/b}; empty if it has none. If it has several names, any of them. */
    public Optional<String> path(long ino) throws IOException {
        var names = new ArrayList<String>();
        long at = ino;
        while (at != Namespace.ROOT) {
            var row = node(at);
            var name = row.isEmpty() || names.size() > DEPTH_MAX ? Optional.<String>empty()
                    : name(row.get().parent(), at);
            if (name.isEmpty()) {
                return Optional.empty();
            }
            names.add(name.get());
            at = row.get().parent();
        }
        return Optional.of("/" + String.join("/", names.reversed()));
    }

    private Optional<NodeRow> node(long ino) throws IOException {
        return engine.read(tx -> Optional.ofNullable(new View(tx).content(Keys.node(ino))).map(NodeRow::parse));
    }

    private Optional<String> name(long directory, long ino) throws IOException {
        var prefix = Keys.entries(directory);
        var from = prefix;
        while (true) {
            var start = from;
            var page = engine.read(tx -> tx.scan(start, prefix.afterPrefix(), PAGE));
            for (var row : page) {
                if (View.content(row.value()).getLong() == ino) {
                    return Optional.of(new String(Keys.name(row.key()), StandardCharsets.UTF_8));
                }
            }
            if (page.size() < PAGE) {
                return Optional.empty();
            }
            from = page.getLast().key().next();
        }
    }

    /** At most {@code limit} inodes with bytes in this block. Reads the extents of all files. */
    public List<Long> users(long block, int limit) throws IOException {
        var found = new LinkedHashSet<Long>();
        var from = Keys.kind('X');
        while (found.size() < limit) {
            var start = from;
            var page = engine.read(tx -> tx.scan(start, Keys.kind('X').afterPrefix(), PAGE));
            for (var row : page) {
                if (View.extent(row).block() == block && found.size() < limit) {
                    found.add(Keys.number(row.key(), 0));
                }
            }
            if (page.size() < PAGE) {
                break;
            }
            from = page.getLast().key().next();
        }
        return List.copyOf(found);
    }
}
