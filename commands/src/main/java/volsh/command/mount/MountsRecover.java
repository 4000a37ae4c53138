package volsh.command.mount;

import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Command;
import volsh.command.Examples;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.mount.Mounts;
import volsh.unit.ByteSize;
import volsh.unit.Count;

@Command(name = "recover",
        description = "Clean up mounts whose process died, so that their directories work again (ENOTCONN until then).")
@Examples({"volsh mounts recover --dry-run", "volsh mounts recover"})
final class MountsRecover implements Mutation<Rows<MountsRecover.Cleared>> {
    private static final Columns<Cleared> COLUMNS = Columns.of(Cleared.class).text("mountPoint", Cleared::mountPoint);

    /** A mount point that was cleaned up. */
    record Cleared(String mountPoint) {}

    @Override
    public Columns<?> columns() {
        return COLUMNS;
    }

    @Override
    public Plan plan(Session session) throws Exception {
        var plan = Plan.NOTHING;
        for (var status : session.service(Mounts.class).list()) {
            if (status.state() == Mounts.State.DEAD) {
                plan = plan.then("clear", status.record().mountPoint().toString(),
                        "process %d is gone".formatted(status.record().pid()));
            }
        }
        return plan;
    }

    @Override
    public Rows<Cleared> run(Session session) throws Exception {
        var mounts = session.service(Mounts.class);
        var left = mounts.list().stream().filter(status -> status.state() == Mounts.State.DEAD)
                .map(status -> mounts.dead(status.record())).toList();
        List<Path> cleared = mounts.recover();
        session.say(cleared.isEmpty() ? "found no dead mounts" : "cleared " + Count.of(cleared.size(), "dead mount"));
        for (var dead : left) {
            if (dead.risk().isKnown() && dead.risk().bytes() > 0) {
                session.warn("%s of volume '%s' are only in the journal of %s, not in the store: %s".formatted(
                        new ByteSize(dead.risk().bytes()), dead.record().source().volume(), dead.record().mountPoint(),
                        dead.next()));
            }
        }
        return Rows.of(COLUMNS, cleared.stream().map(path -> new Cleared(path.toString())).toList());
    }
}
