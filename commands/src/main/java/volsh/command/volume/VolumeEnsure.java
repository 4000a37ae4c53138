package volsh.command.volume;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import volsh.catalog.Setting;
import volsh.catalog.VolumeDraft;
import volsh.catalog.VolumeSpec;
import volsh.command.Examples;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.volume.Volumes;
import volsh.volume.Volumes.Ensured;

@Command(name = "ensure",
        description = {"Create a volume unless it exists; for job prologues that many nodes run at once.",
        "An existing volume keeps its store and block size (asking for another is an error, exit 4) and takes on the"
                + " compression, inline limit and labels asked for."})
@Examples({"volsh volume ensure training-data", "volsh volume ensure checkpoints --profile checkpoints --store lake"})
final class VolumeEnsure implements Mutation<Rows<?>> {
    private static final Columns<Ensured> COLUMNS = VolumeViews.spec(Columns.of(Ensured.class)
            .text("name", ensured -> ensured.spec().name())
            .text("change", Ensured::change), Ensured::spec);

    @Mixin
    private DraftOptions options;

    @Override
    public Columns<?> columns() {
        return options.explain() ? VolumeViews.SETTINGS : COLUMNS;
    }

    @Override
    public Plan plan(Session session) throws Exception {
        VolumeDraft draft = options.draft();
        Ensured ensured = session.service(Volumes.class).checkEnsure(draft);
        VolumeSpec spec = ensured.spec();
        Plan plan = switch (ensured.change()) {
            case CREATED -> Plan.of("create", VolumeViews.quoted(spec.name()), VolumeViews.summary(spec));
            case UPDATED -> Plan.of("update", VolumeViews.quoted(spec.name()), VolumeViews.summary(spec));
            case UNCHANGED -> Plan.NOTHING;
        };
        if (options.retention() != null
                && (ensured.created() || !session.service(Volumes.class).snapshots().history(spec.name()).kept()
                        .equals(options.retention()))) {
            plan = plan.then("set", "retention of " + VolumeViews.quoted(spec.name()), options.retention().toString());
        }
        return VolumeCreate.explained(plan, spec, draft, options.explain() && ensured.created());
    }

    @Override
    public Rows<?> run(Session session) throws Exception {
        VolumeDraft draft = options.draft();
        Ensured ensured = session.service(Volumes.class).ensure(draft);
        VolumeSpec spec = ensured.spec();
        if (!ensured.created() && options.retention() != null
                && VolumeSet.keep(session, spec.name(), options.retention())) {
            ensured = new Ensured(spec, Ensured.Change.UPDATED);
        }
        session.say(switch (ensured.change()) {
            case CREATED -> "created " + VolumeViews.quoted(spec.name()) + " (" + VolumeViews.summary(spec) + ")";
            case UPDATED -> "updated " + VolumeViews.quoted(spec.name()) + " (" + VolumeViews.summary(spec) + ")";
            case UNCHANGED -> "unchanged: " + VolumeViews.quoted(spec.name());
        });
        return options.explain()
                ? Rows.of(VolumeViews.SETTINGS, ensured.created() ? Setting.of(spec, draft) : Setting.of(spec))
                : Rows.one(COLUMNS, ensured).told();
    }
}
