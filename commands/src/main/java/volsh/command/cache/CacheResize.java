package volsh.command.cache;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import volsh.assembly.CacheSettings;
import volsh.cache.disk.Quota;
import volsh.catalog.Refusal;
import volsh.catalog.Refusal.Reason;
import volsh.command.Examples;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.cache.Targets.Mounted;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.mount.Mounts;
import volsh.unit.ByteSize;

@Command(name = "resize", description = {"Resize the cache directories of a running mount.",
        "A smaller size is reached before the command returns. Pinned data stays; a size too small for it (75 % may"
                + " be pinned) is refused. The size holds until the mount ends: the next mount uses its --cache-size."})
@Examples("volsh cache resize /mnt/data 200GiB")
final class CacheResize implements Mutation<Rows<CacheResize.Row>> {
    private static final Columns<Row> COLUMNS = Columns.of(Row.class)
            .text("mount", Row::mount)
            .text("directory", Row::directory)
            .bytes("quota", Row::quota)
            .bytes("before", Row::before);

    @Parameters(index = "0", paramLabel = "DIRECTORY",
            description = "Mount point, for all its cache directories, or one cache directory.")
    private Path place;

    @Parameters(index = "1", paramLabel = "SIZE|%",
            description = "Total bytes for the directories of a mount, or a share of each file system.")
    private Quota size;

    /** The new and the old quota. */
    record Row(String mount, String directory, ByteSize quota, ByteSize before) {}

    /** A directory to resize. */
    private record Change(Mounted mount, Path directory, long quota, long before) {}

    @Override
    public Columns<?> columns() {
        return COLUMNS;
    }

    private List<Change> changes(Session session) throws Exception {
        var changes = new ArrayList<Change>();
        var path = place.toAbsolutePath().normalize();
        for (var mount : new Targets(session, new CacheChoice()).mounts()) {
            boolean whole = mount.mountPoint().equals(path);
            var directories = mount.directories().stream().map(usage -> usage.directory().getParent()).toList();
            var chosen = whole ? directories : directories.stream().filter(path::equals).toList();
            for (var directory : chosen) {
                long bytes = new CacheSettings(new ByteSize(0), chosen,
                        size).quotaBytes(Files.getFileStore(directory).getTotalSpace());
                changes.add(new Change(mount, directory, bytes,
                        mount.directories().get(directories.indexOf(directory)).quotaBytes()));
            }
        }
        if (changes.isEmpty()) {
            throw new Refusal(Reason.NOT_FOUND, ("%s is neither a mount with cache directories nor a cache directory "
                    + "of a mount").formatted(path), "volsh cache status");
        }
        return changes;
    }

    @Override
    public Plan plan(Session session) throws Exception {
        var plan = Plan.NOTHING;
        for (var change : changes(session)) {
            plan = plan.then("resize", change.directory().toString(),
                    "%s, was %s".formatted(new ByteSize(change.quota()), new ByteSize(change.before())));
        }
        return plan;
    }

    @Override
    public Rows<Row> run(Session session) throws Exception {
        var rows = new ArrayList<Row>();
        for (var change : changes(session)) {
            session.service(Mounts.class).resize(change.mount().mountPoint(), change.directory(), change.quota());
            var quota = new ByteSize(change.quota());
            session.say("limited cache directory %s to %s".formatted(change.directory(), quota));
            rows.add(new Row(change.mount().mountPoint().toString(), change.directory().toString(), quota,
                    new ByteSize(change.before())));
        }
        return Rows.of(COLUMNS, rows);
    }
}
