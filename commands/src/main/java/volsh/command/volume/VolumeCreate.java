package volsh.command.volume;

import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import volsh.block.StoreUrl;
import volsh.catalog.Setting;
import volsh.catalog.VolumeDraft;
import volsh.catalog.VolumeSpec;
import volsh.command.Examples;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.quota.TinyQuota;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.unit.ByteSize;
import volsh.volume.Volumes;

@Command(name = "create", description = {"Create a volume.",
        "Without options it suits mixed files and keeps its blocks in volsh's home."
                + " It can be used at once: volsh put -r DIR NAME:/"})
@Examples({"volsh volume create imagenet --profile images --explain",
        "volsh volume create checkpoints --store lake --block-size 16MiB --compression zstd:3 --label team=vision",
        "volsh volume create notebooks --retention 30d",

        "volsh volume create wide --store s1,s2,s3,s4 --stripe-count -1 --stripe-size 4MiB",
        "volsh volume create safe --store s1,s2,s3,s4,s5,s6 --ec 4+2"})
final class VolumeCreate implements Mutation<Rows<?>> {
    private static final Columns<VolumeSpec> COLUMNS =
            VolumeViews.spec(Columns.of(VolumeSpec.class).text("name", VolumeSpec::name), spec -> spec);

    @Mixin
    private DraftOptions options;

    @Option(names = "--quota", paramLabel = "SIZE",
            description = "Limit the volume to SIZE; 'volsh quota set' changes it.")
    private @Nullable ByteSize quota;

    @Override
    public Columns<?> columns() {
        return options.explain() ? VolumeViews.SETTINGS : COLUMNS;
    }

    private void requireSense() {
        if (quota != null && quota.bytes() == 0) {
            throw CommandFailure.usage("--quota must be more than 0; omit it for no limit");
        }
    }

    private void requireQuota(VolumeSpec spec) {
        if (quota != null) {
            TinyQuota.refuse(quota, spec.blockSize());
        }
    }

    @Override
    public Plan plan(Session session) throws Exception {
        requireSense();
        VolumeDraft draft = options.draft();
        VolumeSpec spec = session.service(Volumes.class).checkCreate(draft);
        requireQuota(spec);
        requireLasting(session, spec);
        String summary = VolumeViews.summary(spec) + (quota == null ? "" : ", at most " + quota);
        var plan = Plan.of("create", VolumeViews.quoted(spec.name()), summary);
        if (options.retention() != null) {
            plan = plan.then("set", "retention of " + VolumeViews.quoted(spec.name()), options.retention().toString());
        }
        return explained(plan, spec, draft, options.explain());
    }

    /** Refuses stores in memory, whose blocks are lost when this process ends. */
    private static void requireLasting(Session session, VolumeSpec spec) throws Exception {
        for (String store : spec.stores()) {
            var url = session.service(Volumes.class).stores().find(store).url();
            if (session.isAlone() && url.scheme() == StoreUrl.Scheme.MEM) {
                throw CommandFailure.usage(("cannot create a volume in store '%s' (%s): its data is lost when this "
                        + "process ends").formatted(store, url))
                        .hint("volsh store add scratch file:///var/tmp/scratch");
            }
        }
    }

    /** The plan, with every setting if {@code --explain} is given. */
    static Plan explained(Plan plan, VolumeSpec spec, VolumeDraft draft, boolean explain) {
        Plan longer = plan;
        for (Setting setting : explain ? Setting.of(spec, draft) : List.<Setting>of()) {
            longer = longer.then("with", setting.name() + " " + setting.value(), setting.reason());
        }
        return longer;
    }

    @Override
    public Rows<?> run(Session session) throws Exception {
        requireSense();
        VolumeDraft draft = options.draft();
        var volumes = session.service(Volumes.class);
        var checked = volumes.checkCreate(draft);
        requireQuota(checked);
        requireLasting(session, checked);
        VolumeSpec spec = volumes.create(quota == null ? draft : draft.withQuota(quota));
        session.say("created " + VolumeViews.quoted(spec.name()) + " (" + VolumeViews.summary(spec) + ")");
        return options.explain() ? Rows.of(VolumeViews.SETTINGS, Setting.of(spec, draft))
                : Rows.one(COLUMNS, spec).told();
    }
}
