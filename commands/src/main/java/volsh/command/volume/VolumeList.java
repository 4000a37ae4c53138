package volsh.command.volume;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import volsh.catalog.Refusal;
import volsh.catalog.VolumeSpec;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.Listing;
import volsh.command.Outcome;
import volsh.command.Session;
import volsh.command.failure.ExitCode;
import volsh.command.render.Columns;
import volsh.command.render.OutputFormat;
import volsh.command.render.Rows;
import volsh.command.render.Unknown;
import volsh.inventory.VolumeUsage;
import volsh.mount.Mounts;
import volsh.unit.Count;
import volsh.unit.Span;
import volsh.volume.VolumeStatus;
import volsh.volume.Volumes;

@Command(name = "list", description = {"List the volumes: what they hold, where they are mounted, and their state.",
        "USED counts bytes as files show them, FILES counts files and links, MOUNTS are those of this machine."
                + " STATE is ok, nearly full or full (a quota), locked (no key), unavailable, or damaged.",
        "Opens the volumes for two seconds at most, and for a minute with -o wide, with chosen columns, and where no"
                + " terminal shows the list: what is not known"
                + " by then is shown as ?, and REASON (-o wide) says why. -o name and the formats for programs read"
                + " only the catalog, unless such columns are chosen."})
@Examples({"volsh volume list", "volsh volume list -o wide", "volsh volume list -o name",
        "volsh volume list --columns name,used"})
final class VolumeList implements Action<Outcome<Rows<VolumeList.Row>>>, Listing {
    private static final Set<String> LOOKED_INTO = Set.of("used", "usedbytes", "files", "inodes", "stored",
            "storedbytes", "ratio", "state", "reason", "reclaimable", "reclaimablebytes");
    private static final Duration SHORT = Duration.ofSeconds(2);
    private static final Duration LONG = Duration.ofMinutes(1);

    /** A volume of the list; nothing was looked at if {@code looked} is empty. */
    record Row(VolumeSpec spec, Optional<VolumeLooks.Looked> looked, List<Path> mounts) {
        private Optional<VolumeStatus> status() {
            return looked.flatMap(VolumeLooks.Looked::status);
        }

        private Object used() {
            return status().flatMap(VolumeViews::usage).<Object>map(VolumeUsage::bytes).orElse(Unknown.VALUE);
        }

        /** Null in a volume whose directories are not counted. */
        private @Nullable Object files() {
            return status().isPresent() ? VolumeViews.files(status().get()) : Unknown.VALUE;
        }

        private Object inodes() {
            return status().flatMap(VolumeViews::usage).<Object>map(VolumeViews::inodes).orElse(Unknown.VALUE);
        }
    }

    private static final Columns<Row> NAME = Columns.of(Row.class).text("name", row -> row.spec().name());

    private static final Columns<Row> CATALOG = VolumeViews.spec(NAME, Row::spec)
            .text("mounts", Row::mounts);

    private static final Columns<Row> SHOWN = VolumeViews.spec(NAME
            .bytes("used", Row::used)
            .number("files", Row::files)
            .text("mounts", Row::mounts)
            .text("state", row -> row.looked().map(VolumeLooks.Looked::state).orElse("?")), Row::spec)
            .text("reason", row -> row.looked().map(VolumeLooks.Looked::reason).orElse("")).wide()
            .number("inodes", Row::inodes).wide();

    private static final Columns<Row> ALL = SHOWN.knowing(VolumeViews.stored(SHOWN, Row::status));

    @Override
    public boolean labelled() {
        return true;
    }

    @Override
    public Columns<?> columns() {
        return ALL;
    }

    @Override
    public Outcome<Rows<Row>> run(Session session) throws Exception {
        var volumes = session.service(Volumes.class);
        var specs = new ArrayList<VolumeSpec>();
        boolean damaged = false;
        for (String name : volumes.names()) {
            try {
                specs.add(volumes.find(name));
            } catch (Refusal refusal) {
                damaged |= tell(session, refusal);
            }
        }
        for (String name : volumes.destroying()) {
            session.warn("volume '" + name + "' is partly destroyed; to finish: volsh volume destroy " + name);
        }
        if (specs.isEmpty() && !damaged) {
            session.say("no volumes yet; to create one: volsh volume create training-data");
        }
        var longest = longest(session);
        var looked = longest.isZero() ? Map.<String, VolumeLooks.Looked>of()
                : new VolumeLooks(volumes, specs.stream().map(VolumeSpec::name).toList(), longest).await(session);
        var mounts = session.service(Mounts.class).byVolume();
        var rows = specs.stream().map(spec -> new Row(spec, Optional.ofNullable(looked.get(spec.name())),
                mounts.getOrDefault(spec.name(), List.of()))).toList();
        boolean complete = note(session, looked, longest);
        ExitCode exit = damaged ? ExitCode.INTEGRITY : complete || !isAskedFor(session) ? ExitCode.OK
                : ExitCode.PARTIAL;
        return new Outcome<>(Rows.of(longest.isZero() ? CATALOG : ALL, rows), exit);
    }

    /** Says why something is unknown or wrong; whether all could be read. */
    private static boolean note(Session session, Map<String, VolumeLooks.Looked> looked, Duration longest) {
        long late = looked.values().stream().filter(VolumeLooks.Looked::isUnknown).count();
        if (late > 0) {
            session.warn("%s did not answer within %s%s".formatted(Count.of(late, "volume"), new Span(longest),
                    longest.equals(SHORT) ? "; -o wide waits longer" : ""));
        }
        var wrong = looked.values().stream().filter(one -> !one.isUnknown() && !one.reason().isEmpty()
                && !one.state().endsWith("full")).map(VolumeLooks.Looked::reason).distinct().toList();
        wrong.forEach(session::warn);
        return late == 0 && wrong.isEmpty();
    }

    /** Whether the volume exists but cannot be read; a volume that was removed in the meantime does not count. */
    private static boolean tell(Session session, Refusal refusal) throws IOException {
        if (refusal.reason() == Refusal.Reason.NOT_FOUND) {
            return false;
        }
        if (refusal.reason() != Refusal.Reason.DAMAGED) {
            throw refusal;
        }
        session.warn(refusal.getMessage());
        return true;
    }

    /** For how long the volumes are looked into; zero for not at all. */
    private static Duration longest(Session session) {
        if (isAskedFor(session)) {
            return LONG;
        }
        var options = session.options();
        if (options.output().kind() != OutputFormat.Kind.TABLE || !options.columns().isEmpty()) {
            return Duration.ZERO;
        }
        return session.terminal().output() ? SHORT : LONG;
    }

    /** Whether the user chose to see what the volumes hold. */
    private static boolean isAskedFor(Session session) {
        var options = session.options();
        return options.output().kind() == OutputFormat.Kind.WIDE
                || !java.util.Collections.disjoint(options.namedColumns(), LOOKED_INTO);
    }
}
