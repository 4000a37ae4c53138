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
import volsh.fs.ShellWord;
import volsh.mount.Mounts;
import volsh.volume.Volumes;

@Command(name = "detach", description = {"Forget a volume that this machine shares with others.",
        "Its metadata in the database and its blocks stay as they are: volsh volume attach brings it back. "
                + "Works without the database."})
@Examples("volsh volume detach shared")
final class VolumeDetach implements Mutation<Rows<VolumeSpec>> {
    private static final Columns<VolumeSpec> COLUMNS =
            VolumeViews.spec(Columns.of(VolumeSpec.class).text("name", VolumeSpec::name), spec -> spec);

    @Parameters(paramLabel = "VOLUME", description = "Volume to detach.")
    private String name;

    @Option(names = "--force", description = "Forget the volume even if this machine has it open, "
            + "or has data in a journal, which is lost.")
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

    /** Refuses a mounted volume even if its database is unreachable. */
    private void requireUnmounted(Session session) throws Exception {
        var mounts = session.service(Mounts.class).of(name);
        if (!force && !mounts.isEmpty()) {
            throw new Refusal(Reason.BUSY, "volume '%s' is mounted at %s".formatted(name, mounts.getFirst()),
                    "volsh umount " + ShellWord.of(mounts.getFirst()));
        }
    }

    @Override
    public Guard guard(Session session) {
        return force ? new Guard.TypeName("detach " + VolumeViews.quoted(name)
                + ", and lose the data that only this machine has?", name) : Guard.NONE;
    }

    @Override
    public Rows<VolumeSpec> run(Session session) throws Exception {
        requireUnmounted(session);
        var detached = session.service(Volumes.class).attaching().detach(name, force);
        if (detached.unasked().isPresent()) {
            session.warn("cannot reach the database (%s); it ends the sessions of this machine when their leases expire"
                    .formatted(detached.unasked().get().getMessage()));
        }
        session.say("detached " + VolumeViews.quoted(name));
        return Rows.one(COLUMNS, detached.spec()).told();
    }
}
