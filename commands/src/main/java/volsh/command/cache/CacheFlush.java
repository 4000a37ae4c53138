package volsh.command.cache;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.catalog.Refusal;
import volsh.catalog.Refusal.Reason;
import volsh.command.Examples;
import volsh.command.Mutation;
import volsh.command.Outcome;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.cache.Targets.Mounted;
import volsh.command.failure.ExitCode;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.command.volume.EachVolume;
import volsh.mount.Mounts;
import volsh.unit.ByteSize;
import volsh.unit.Span;
import volsh.volume.Volumes;

@Command(name = "flush", description = {"Write out all data that mounts hold and the store does not have yet.",
        "Includes the journals of mount --writeback and, for a volume that is not mounted, what killed mounts left"
                + " there.",
        "After exit 0 the data is in the store and survives power loss. A volume that cannot be checked for leftovers"
                + " gives a warning and exit 10."})
@Examples({"volsh cache flush", "volsh cache flush training-data --timeout 1m"})
final class CacheFlush implements Mutation<Outcome<Rows<CacheFlush.Row>>> {
    private static final Columns<Row> COLUMNS = Columns.of(Row.class)
            .text("mount", Row::mount)
            .text("volume", Row::volume)
            .bytes("held", Row::held)
            .bytes("left", Row::left);

    @Parameters(arity = "0..*", paramLabel = "VOLUME|DIRECTORY",
            description =
                    "Mounts, by directory or volume, or volumes that are not mounted (default: all of this home).")
    private List<String> places = List.of();

    @Option(names = "--timeout", paramLabel = "TIME", defaultValue = "5m",
            description =
                    "Limit the time for storing journal data; exit 124 if it runs out (default: ${DEFAULT-VALUE}).")
    private Span timeout;

    /** Bytes of buffers and journals before and after. A volume that is not mounted has no mount. */
    record Row(String mount, String volume, @Nullable ByteSize held, ByteSize left) {}

    @Override
    public Columns<?> columns() {
        return COLUMNS;
    }

    /** The selected mounts, and the selected volumes that are not mounted here. */
    private record Choice(List<Mounted> mounts, List<String> volumes) {}

    private Choice choice(Session session) throws Exception {
        var targets = new Targets(session, new CacheChoice());
        var mounts = new ArrayList<Mounted>();
        var volumes = new ArrayList<String>();
        for (var word : places) {
            var named = targets.mounts().stream().filter(mount -> mount.record().source().volume().equals(word))
                    .toList();
            mounts.addAll(named);
            targets.mountOf(word).ifPresent(mounts::add);
            if (named.isEmpty() && targets.mountOf(word).isEmpty()) {
                volumes.add(unmounted(session, word));
            }
        }
        return new Choice(places.isEmpty() ? targets.mounts() : mounts, volumes);
    }

    private ExitCode asked = ExitCode.OK;     // PARTIAL if a volume could not be checked for leftovers

    /**
     * The volumes to flush without a mount: the named ones, or all with leftovers. Checked last: metadata may be
     * unreachable.
     */
    private List<String> unmounted(Session session, Choice choice) throws Exception {
        if (!places.isEmpty()) {
            return choice.volumes();
        }
        var mounted = choice.mounts().stream().map(mount -> mount.record().source().volume()).toList();
        var volumes = session.service(Volumes.class);
        var left = new ArrayList<String>();
        asked = EachVolume.ask(session, List.of(), name -> {
            if (!mounted.contains(name) && !volumes.journals().here(name).isEmpty()) {
                left.add(name);
            }
        });
        return left;
    }

    private static String unmounted(Session session, String word) throws Exception {
        if (word.contains("/") || !session.service(Volumes.class).exists(word)) {
            throw new Refusal(Reason.NOT_FOUND, "no such mount or volume: '%s'".formatted(word), "volsh mounts list");
        }
        return word;
    }

    private static ByteSize held(Session session, Mounted mount) throws Exception {
        var stats = session.service(Mounts.class).stats(mount.mountPoint());
        return new ByteSize(stats.bufferedBytes() + stats.staged().bytes());
    }

    @Override
    public Plan plan(Session session) throws Exception {
        var plan = Plan.NOTHING;
        var choice = choice(session);
        for (var mount : choice.mounts()) {
            plan = plan.then("flush", mount.mountPoint().toString(), held(session, mount) + " in buffers and journal");
        }
        for (var volume : unmounted(session, choice)) {
            plan = plan.then("flush", volume, "data that ended processes left in journals on this host");
        }
        return plan;
    }

    @Override
    public Outcome<Rows<Row>> run(Session session) throws Exception {
        var mounts = session.service(Mounts.class);
        var choice = choice(session);
        var rows = new ArrayList<Row>();
        for (var mount : choice.mounts()) {
            var before = held(session, mount);
            long left = mounts.store(mount.mountPoint(), timeout.duration());
            rows.add(new Row(mount.mountPoint().toString(), mount.record().source().volume(), before,
                    new ByteSize(left)));
            session.say((left == 0 ? "flushed " : "flushed in part: ") + mount.mountPoint());
        }
        for (var volume : unmounted(session, choice)) {
            long left = mounts.storeLeft(volume, timeout.duration());
            rows.add(new Row("", volume, null, new ByteSize(left)));
            session.say((left == 0 ? "flushed " : "flushed in part: ") + volume);
        }
        boolean all = rows.stream().allMatch(row -> row.left().bytes() == 0);
        return new Outcome<>(Rows.of(COLUMNS, rows), all ? asked : ExitCode.TIMEOUT);
    }
}
