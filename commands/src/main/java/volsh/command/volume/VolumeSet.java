package volsh.command.volume;

import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import volsh.catalog.CompactMode;
import volsh.catalog.GcMode;
import volsh.catalog.HistorySpan;
import volsh.catalog.VolumeSpec;
import volsh.codec.Compression;
import volsh.command.Examples;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.command.failure.Similar;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.fs.ShellWord;
import volsh.unit.ByteSize;
import volsh.volume.Volumes;

@Command(name = "set", description = {
        "Change settings of a volume: compression, inline, ship-metadata, retention, gc, compact and label.KEY.",
        "Settings apply to new writes; stored data stays unchanged. label.KEY= without a value removes the label."
                + " retention=30d keeps data that is changed or deleted from now on readable with --at for this long;"
                + " 0 keeps nothing, -1 everything. gc=manual stops mounts from collecting garbage in the background,"
                + " gc=auto allows it; compact=manual and compact=auto do the same for storing small files together."})
@Examples({"volsh volume set training-data compression=zstd:3 inline=16KiB",
        "volsh volume set training-data ship-metadata=on",
        "volsh volume set training-data retention=30d",
        "volsh volume set training-data gc=manual",
        "volsh volume set training-data label.tier=gold",
        "volsh volume set training-data label.tier="})
final class VolumeSet implements Mutation<Rows<VolumeSet.Settings>> {
    private static final List<String> SETTINGS = List.of("compression", "inline", "ship-metadata", "retention", "gc",
            "compact");
    private static final String LABEL = "label.";
    private static final String RETENTION = "retention=";
    private static final String GC = "gc=";
    private static final String COMPACT = "compact=";

    /** Settings that are not of the volume's record. */
    private static final List<String> OWN = List.of(RETENTION, GC, COMPACT);

    /** The settings. */
    record Settings(VolumeSpec spec, HistorySpan retention, GcMode gc, CompactMode compact) {}

    private static final Columns<Settings> COLUMNS = Columns.of(Settings.class)
            .text("name", row -> row.spec().name())
            .text("compression", row -> row.spec().compression().toString())
            .bytes("inline", row -> row.spec().inline())
            .text("shipMetadata", row -> Switch.of(row.spec().shipsMetadata()))
            .text("retention", row -> row.retention().toString())
            .text("gc", row -> row.gc().toString())
            .text("compact", row -> row.compact().toString())
            .text("labels", row -> row.spec().labels());

    @Parameters(index = "0", paramLabel = "VOLUME", description = "Volume to change.")
    private String name;

    @Parameters(index = "1..*", arity = "1..*", paramLabel = "SETTING=VALUE", description = "Settings.")
    private List<String> assignments;

    @Override
    public Columns<?> columns() {
        return COLUMNS;
    }

    @Override
    public Plan plan(Session session) throws Exception {
        var volumes = session.service(Volumes.class);
        var plan = changes(volumes.find(name), volumes.checkSet(name, this::changed));
        var before = volumes.snapshots().history(name).kept();
        plan = difference(plan, "retention", before, retention().orElse(before));
        var gc = volumes.settings().gcMode(name);
        plan = difference(plan, "gc", gc, gc().orElse(gc));
        var compact = volumes.settings().compactMode(name);
        return difference(plan, "compact", compact, compact().orElse(compact));
    }

    private Optional<CompactMode> compact() {
        return assignments.stream().filter(word -> word.startsWith(COMPACT))
                .map(word -> CompactMode.of(word.substring(COMPACT.length()))).reduce((first, last) -> last);
    }

    private Optional<GcMode> gc() {
        return assignments.stream().filter(word -> word.startsWith(GC))
                .map(word -> GcMode.of(word.substring(GC.length()))).reduce((first, last) -> last);
    }

    /** The retention given; the last one counts. */
    private Optional<HistorySpan> retention() {
        return assignments.stream().filter(word -> word.startsWith(RETENTION))
                .map(word -> HistorySpan.of(word.substring(RETENTION.length())))
                .reduce((first, last) -> last);
    }

    /** Sets how long history is kept. @return whether that changes anything */
    static boolean keep(Session session, String name, HistorySpan span) throws Exception {
        var snapshots = session.service(Volumes.class).snapshots();
        if (snapshots.history(name).kept().equals(span)) {
            return false;
        }
        snapshots.keep(name, span);
        return true;
    }

    @Override
    public Rows<Settings> run(Session session) throws Exception {
        var volumes = session.service(Volumes.class);
        Plan plan = plan(session);
        var before = volumes.find(name);
        VolumeSpec after = changes(before, volumes.checkSet(name, this::changed)).changes().isEmpty()
                ? before : volumes.set(name, this::changed);
        if (retention().isPresent()) {
            keep(session, name, retention().get());
        }
        if (gc().isPresent()) {
            volumes.settings().setGcMode(name, gc().get());
        }
        if (compact().isPresent()) {
            volumes.settings().setCompactMode(name, compact().get());
        }
        plan.changes().forEach(change -> session.say(change.toString()));
        if (plan.changes().isEmpty()) {
            session.say("unchanged: " + VolumeViews.quoted(name));
        }
        return Rows.one(COLUMNS, new Settings(after, volumes.snapshots().history(name).kept(),
                volumes.settings().gcMode(name), volumes.settings().compactMode(name)));
    }

    private Plan changes(VolumeSpec before, VolumeSpec after) {
        Plan plan = Plan.NOTHING;
        plan = difference(plan, "compression", before.compression(), after.compression());
        plan = difference(plan, "inline", before.inline(), after.inline());
        plan = difference(plan, "ship-metadata", Switch.of(before.shipsMetadata()), Switch.of(after.shipsMetadata()));
        return difference(plan, "labels", before.labels(), after.labels());
    }

    private Plan difference(Plan plan, String what, Object before, Object after) {
        return before.equals(after) ? plan
                : plan.then("set", what + " of " + VolumeViews.quoted(name), before + " -> " + after);
    }

    private VolumeSpec changed(VolumeSpec before) {
        VolumeSpec spec = before;
        for (String assignment : assignments) {
            int equals = assignment.indexOf('=');
            if (equals < 1) {
                throw CommandFailure.usage("'" + assignment + "' is not a setting (try compression=zstd:3)");
            }
            spec = OWN.stream().anyMatch(assignment::startsWith) ? spec
                    : apply(spec, assignment.substring(0, equals), assignment.substring(equals + 1));
        }
        return spec;
    }

    private static VolumeSpec apply(VolumeSpec spec, String key, String value) {
        if (key.startsWith(LABEL)) {
            return spec.withLabel(key.substring(LABEL.length()), value);
        }
        return switch (key) {
            case "compression" -> spec.with(Compression.of(value));
            case "inline" -> spec.withInline(ByteSize.of(value));
            case "ship-metadata" -> spec.shippingMetadata(Switch.of(value).isOn());
            case "block-size", "blockSize" -> forLife(spec, "block size", spec.blockSize(), ByteSize.of(value));
            case "store" -> forLife(spec, "store", spec.store(), value);
            case "name" -> throw CommandFailure.usage("'set' cannot change the name of a volume")
                    .hint("volsh volume rename " + spec.name() + " " + ShellWord.of(value));
            default -> throw unknown(spec, key, value);
        };
    }

    private static CommandFailure unknown(VolumeSpec spec, String key, String value) {
        var failure = CommandFailure.usage("unknown setting '%s' (settings: %s, label.KEY)"
                .formatted(key, String.join(", ", SETTINGS)));
        for (String similar : Similar.to(key, SETTINGS)) {
            failure = failure.hint("did you mean: volsh volume set %s %s=%s".formatted(spec.name(), similar,
                    ShellWord.of(value)));
        }
        return key.equals("quota") ? failure.hint("volsh quota set %s %s".formatted(spec.name(), ShellWord.of(value)))
                : failure;
    }

    private static VolumeSpec forLife(VolumeSpec spec, String what, Object is, Object wanted) {
        if (is.equals(wanted)) {
            return spec;
        }
        throw CommandFailure.of(ExitCode.CONFLICT, "VOL-0004",
                "cannot change the " + what + " of " + VolumeViews.quoted(spec.name()) + ": it is permanent")
                .detail(what + ": is " + is + ", asked for " + wanted)
                .hint("volsh volume create %1$s-2 --%2$s %3$s && volsh cp -r %1$s:/ %1$s-2:/"
                        .formatted(spec.name(), what.replace(' ', '-'), wanted));
    }
}
