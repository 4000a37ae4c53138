package volsh.command.cache;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import volsh.cache.disk.DirectoryUsage;
import volsh.command.Action;
import volsh.command.Listing;
import volsh.command.Examples;
import volsh.command.Session;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.unit.ByteSize;

@Command(name = "status", description = {"Show what cache directories hold of each volume.",
        "Shows blocks, their frames (mostly 128 KiB), bytes, and what pins reserve. For directories that a mount"
                + " uses, also shows the quota, and frame hits and misses."})
@Examples({"volsh cache status", "volsh cache status ./cache -o json"})
final class CacheStatus implements Action<Rows<CacheStatus.Row>>, Listing {
    private static final Columns<Row> COLUMNS = Columns.of(Row.class)
            .text("directory", Row::directory)
            .text("volume", Row::volume)
            .text("state", Row::state)
            .number("blocks", Row::blocks)
            .number("frames", Row::frames)
            .bytes("size", Row::size)
            .bytes("pinned", Row::pinned)
            .bytes("quota", Row::quota)
            .number("hits", Row::hits)
            .number("misses", Row::misses)
            .number("damaged", Row::damaged)
            .number("failures", Row::failures);

    @Parameters(arity = "0..*", paramLabel = "VOLUME|DIRECTORY",
            description =
                    "Cache directory, or volume whose mounts have one (default: all that mounts of this home use).")
    private List<String> places = List.of();

    /** Quota and hits are unknown without a mount. */
    record Row(
            String directory, String volume, String state, long blocks, long frames, ByteSize size, ByteSize pinned,
            ByteSize quota, Long hits, Long misses, Long damaged, Long failures) {}

    @Override
    public Columns<?> columns() {
        return COLUMNS;
    }

    @Override
    public Rows<Row> run(Session session) throws Exception {
        var rows = new ArrayList<Row>();
        for (var found : new Places(session).find(places)) {
            var held = found.cache().held();
            var usage = found.usage();
            rows.add(new Row(
                    found.cache().directory().toString(), found.name(),
                    usage.map(one -> one.up() ? "in use" : "bypassed").orElse("idle"),
                    held.blocks(), held.frames(), new ByteSize(held.bytes()), new ByteSize(found.cache().pinnedBytes()),
                    usage.map(one -> new ByteSize(one.quotaBytes())).orElse(null),
                    usage.map(DirectoryUsage::hits).orElse(null), usage.map(DirectoryUsage::misses).orElse(null),
                    usage.map(DirectoryUsage::damaged).orElse(null), usage.map(DirectoryUsage::failures).orElse(null)));
        }
        return Rows.of(COLUMNS, rows);
    }
}
