package volsh.command.cache;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import volsh.cache.disk.Pin;
import volsh.command.Action;
import volsh.command.Listing;
import volsh.command.Examples;
import volsh.command.Session;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.unit.ByteSize;

@Command(name = "pins", description = {"List the pins of cache directories.",
        "SIZE is the size of the pinned data, cached or not."})
@Examples({"volsh cache pins", "volsh cache pins ./cache -o json"})
final class CachePins implements Action<Rows<CachePins.Row>>, Listing {
    private static final Columns<Row> COLUMNS = Columns.of(Row.class)
            .text("directory", Row::directory)
            .text("volume", Row::volume)
            .text("path", Row::path)
            .number("blocks", Row::blocks)
            .bytes("size", Row::size)
            .time("created", Row::created)
            .time("expires", Row::expires)
            .text("then", Row::then);

    @Parameters(arity = "0..*", paramLabel = "VOLUME|DIRECTORY",
            description =
                    "Cache directory, or volume whose mounts have one (default: all that mounts of this home use).")
    private List<String> places = List.of();

    /** A pin; {@code then} is what happens to its data when it expires. */
    record Row(String directory, String volume, String path, long blocks, ByteSize size, Instant created,
            Instant expires, String then) {
        static Row of(Places.Found found, Pin pin) {
            return new Row(found.cache().directory().toString(), found.name(), pin.path(), pin.blocks().count(),
                    new ByteSize(pin.blocks().bytes()), pin.created(), pin.expires().orElse(null),
                    pin.drops() ? "drop" : "evictable");
        }
    }

    @Override
    public Columns<?> columns() {
        return COLUMNS;
    }

    @Override
    public Rows<Row> run(Session session) throws Exception {
        var rows = new ArrayList<Row>();
        for (var found : new Places(session).find(places)) {
            found.cache().pins().forEach(pin -> rows.add(Row.of(found, pin)));
        }
        return Rows.of(COLUMNS, rows);
    }
}
