package volsh.command.volume;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.catalog.Refusal;
import volsh.catalog.Refusal.Reason;
import volsh.catalog.VolumeSpec;
import volsh.command.Examples;
import volsh.command.Guard;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.mount.Mounts;
import volsh.volume.Volumes;

@Command(name = "detach", description = {"Forget a volume that this machine shares with others.",
        "Its metadata in the database and its blocks stay as they are: volsh volume attach brings it back. Works without the database."})
@Examples("volsh volume detach shared")
final class VolumeDetach implements Mutation<Rows<VolumeSpec>> {
    private static final Columns<VolumeSpec> COLUMNS =
            VolumeViews.spec(Columns.of(VolumeSpec.class).text("name", VolumeSpec::name), spec -> spec);

    @Parameters(paramLabel = "VOLUME", description = "Volume to detach.")
    private String name;

    @Option(names = "--force", description = "Forget it even if this machine has it open, or has bytes of it in a journal: those are lost.")
    private boolean force;

    @Override
    public Columns<?> columns() {
        return COLUMNS;
    }

    @Override
    public Plan plan(Session session) throws Exception {
        var volumes = session.service(Volumes.class);
        var spec = volumes.attaching().checkDetach(name, force).spec();
        requireUnmounted(session);
        return Plan.of("detach", VolumeViews.quoted(name), volumes.database(spec).map(Object::toString).orElse(""));
    }

    /** The database says so too, if it can be asked. */
    private void requireUnmounted(Session session) throws Exception {
        var mounts = session.service(Mounts.class).of(name);
        if (!force && !mounts.isEmpty()) {
            throw new Refusal(Reason.BUSY, "volume '%s' is mounted at %s".formatted(name, mounts.getFirst()), "volsh umount " + mounts.getFirst());
        }
    }

    @Override
    public Guard guard(Session session) {
        return force ? new Guard.TypeName("detach " + VolumeViews.quoted(name) + " with what only this machine has of it?", name) : Guard.NONE;
    }

    @Override
    public Rows<VolumeSpec> run(Session session) throws Exception {
        requireUnmounted(session);
        var detached = session.service(Volumes.class).attaching().detach(name, force);
        if (detached.unasked().isPresent()) {
            session.warn("the database was not told: sessions of this machine end there by themselves (%s)"
                    .formatted(detached.unasked().get().getMessage()));
        }
        session.say("detached " + VolumeViews.quoted(name));
        return Rows.one(COLUMNS, detached.spec());
    }
}
