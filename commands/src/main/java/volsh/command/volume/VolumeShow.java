package volsh.command.volume;

import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.catalog.Setting;
import volsh.catalog.VolumeDraft;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.Session;
import volsh.command.Tabular;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.mount.Mounts;
import volsh.quota.QuotaRule;
import volsh.ship.Shipping;
import volsh.volume.VolumeStatus;
import volsh.volume.Volumes;

@Command(name = "show",
        description = {"Show a volume: its settings, its size and its open sessions; -o wide adds its mounts.",
                "STAGED is the part of STORED that is only in journals, not in a store yet, as each host last counted"
                        + " it."})
@Examples({"volsh volume show training-data", "volsh volume show training-data --explain",
        "volsh volume show training-data -o json"})
final class VolumeShow implements Action<Rows<?>>, Tabular {
    @Parameters(paramLabel = "VOLUME", description = "Volume to show.")
    private String name;

    @Option(names = "--explain", description = "Show every setting with its origin and the reason.")
    private boolean explain;

    /** A session that has the volume open, as shown. */
    record User(String purpose, String host, long pid, Instant since, Instant lease) {}

    @Override
    public Columns<?> columns() {
        return explain ? VolumeViews.SETTINGS : columns("", List.of());
    }

    @Override
    public Rows<?> run(Session session) throws Exception {
        var volumes = session.service(Volumes.class);
        if (explain) {
            var spec = volumes.find(name);
            var draft = VolumeDraft.named(name);
            return Rows.of(VolumeViews.SETTINGS,
                    Setting.of(spec, volumes.database(spec).map(draft::withDatabase).orElse(draft)));
        }
        var status = volumes.status(name);
        VolumeViews.tellMore(session, status);
        String url = volumes.stores().find(status.spec().store()).url().toString();
        return Rows.one(columns(url, session.service(Mounts.class).of(name)), status);
    }

    /** {@code mounts}: the mount points of the volume on this machine. */
    private static Columns<VolumeStatus> columns(String url, List<Path> mounts) {
        var spec = Columns.of(VolumeStatus.class)
                .text("name", status -> status.spec().name())
                .text("id", status -> status.spec().id())
                .text("store", status -> String.join(",", status.spec().stores()))
                .text("layout", status -> status.spec().spread().policy().map(Object::toString).orElse(null))
                .text("url", status -> url)
                .text("prefix", status -> status.spec().prefix()).wide()
                .text("meta", status -> status.database().orElse(null))
                .bytes("blockSize", status -> status.spec().blockSize())
                .text("compression", status -> status.spec().compression().toString())
                .bytes("inline", status -> status.spec().inline()).wide()
                .text("profile", status -> status.spec().profile())
                .text("encryption", status -> status.spec().encryption().isOn() ? "on" : "off")
                .text("labels", status -> status.spec().labels())
                .time("created", status -> status.spec().created());
        return VolumeViews.usage(shipping(spec), Optional::of)
                .bytes("staged", VolumeStatus::stagedBytes)
                .bytes("quota", status -> status.quota().map(QuotaRule::bytes).filter(limit -> limit < QuotaRule.NONE)
                        .orElse(null))
                .text("retention", status -> status.history().kept().toString())
                .time("historySince", status -> status.history().earliest().orElse(null)).wide()
                .text("gc", status -> gc(status)).wide()
                .text("mounts", _ -> mounts.stream().map(Path::toString).toList()).wide()
                .text("sessions", VolumeShow::users)
                .text("settings", status -> Setting.of(status.spec())).wide();
    }

    /** How much of the metadata is in the store; empty if the volume does not ship its metadata. */
    private static Columns<VolumeStatus> shipping(Columns<VolumeStatus> columns) {
        return columns
                .text("shipMetadata", status -> Switch.of(status.spec().shipsMetadata()))
                .number("shipped", status -> status.shipping().map(Shipping.Status::shipped).orElse(null)).wide()
                .number("unshipped", status -> status.shipping().map(Shipping.Status::unshipped).orElse(null))
                .bytes("unshippedSize", status -> status.shipping().map(Shipping.Status::bytes).orElse(null)).wide()
                .time("lastShipped", status -> status.shipping().flatMap(Shipping.Status::time).orElse(null))
                .text("attachedElsewhere", status -> status.shipping().flatMap(Shipping.Status::fence).orElse(null));
    }

    /** How garbage is collected, and the result of the last collection. */
    private static String gc(VolumeStatus status) {
        var last = status.gc().last();
        var when = last.purged().isAfter(last.swept()) ? last.purged() : last.swept();
        return status.gc().mode() + (status.isCollecting() ? ", running since " + last.running()
                : when.equals(Instant.EPOCH) ? ""
                : ", last %s: %d versions, %d objects".formatted(when, last.versions(), last.objects()));
    }

    private static Object users(VolumeStatus status) {
        return status.sessions().stream()
                .map(user -> new User(user.purpose(), user.host(), user.pid(), user.started(), user.lease()))
                .toList();
    }
}
