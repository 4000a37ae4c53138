package volsh.command.cache;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import volsh.command.Examples;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.cache.Targets.Mounted;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.mount.Mounts;
import volsh.unit.ByteSize;

@Command(name = "flush", description = {"Write out everything that mounts hold and the store does not have yet.",
        "When this returns it is in the store and survives power loss."})
@Examples("volsh cache flush")
final class CacheFlush implements Mutation<Rows<CacheFlush.Row>> {
    private static final Columns<Row> COLUMNS = Columns.of(Row.class)
            .text("mount", Row::mount)
            .text("volume", Row::volume)
            .bytes("buffered", Row::buffered)
            .bytes("left", Row::left);

    @Parameters(arity = "0..*", paramLabel = "VOLUME|DIRECTORY",
            description = "Mounts, by their directory or volume (default: all mounts of this home).")
    private List<String> places = List.of();

    /** Bytes of buffers before and after. */
    record Row(String mount, String volume, ByteSize buffered, ByteSize left) {}

    @Override
    public Columns<?> columns() {
        return COLUMNS;
    }

    private List<Mounted> mounts(Session session) throws Exception {
        return new Targets(session, new CacheChoice()).mounts(places);
    }

    private static ByteSize buffered(Session session, Mounted mount) throws Exception {
        return new ByteSize(session.service(Mounts.class).stats(mount.mountPoint()).bufferedBytes());
    }

    @Override
    public Plan plan(Session session) throws Exception {
        var plan = Plan.NOTHING;
        for (var mount : mounts(session)) {
            plan = plan.then("flush", mount.mountPoint().toString(), buffered(session, mount) + " of buffers");
        }
        return plan;
    }

    /** {@link Mounts#flush} is all there is to wait for: buffers now, and whatever a mount stages before it is in the store. */
    @Override
    public Rows<Row> run(Session session) throws Exception {
        var rows = new ArrayList<Row>();
        for (var mount : mounts(session)) {
            var before = buffered(session, mount);
            session.service(Mounts.class).flush(mount.mountPoint());
            rows.add(new Row(mount.mountPoint().toString(), mount.record().source().volume(), before, buffered(session, mount)));
            session.say("flushed " + mount.mountPoint());
        }
        return Rows.of(COLUMNS, rows);
    }
}
