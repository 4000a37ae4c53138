package volsh.command.cache;

import java.io.IOException;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import volsh.catalog.Refusal;
import volsh.command.Examples;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.cache.Targets.Target;
import volsh.command.render.Columns;
import volsh.mount.Mounts;

@Command(name = "unpin", description = {"Remove pins, so that their data may be evicted.",
        "Name the paths as 'volsh cache pins' shows them."})
@Examples("volsh cache unpin training-data:/dataset/a.tar --cache-dir ./cache")
final class CacheUnpin implements Mutation<Void> {
    @Parameters(arity = "1..*", paramLabel = "VOL:/PATH|DIR", description = "Pinned paths.")
    private List<String> places = List.of();

    @Mixin
    private CacheChoice choice = new CacheChoice();

    @Override
    public Columns<?> columns() {
        return Columns.NONE;
    }

    @Override
    public Plan plan(Session session) throws Exception {
        var plan = Plan.NOTHING;
        for (var target : new Targets(session, choice).find(places)) {
            for (var path : target.paths()) {
                plan = plan.then("unpin", target.place(path), "in " + Places.named(target, choice));
            }
        }
        return plan;
    }

    @Override
    public Void run(Session session) throws Exception {
        for (var target : new Targets(session, choice).find(places)) {
            for (var path : target.paths()) {
                require(unpin(session, target, path), target.place(path));
                session.say("unpinned " + target.place(path));
            }
        }
        return null;
    }

    private boolean unpin(Session session, Target target, String path) throws Exception {
        if (target.mount().isPresent()) {
            return session.service(Mounts.class).unpin(target.mount().get().mountPoint(), path);
        }
        try (var volume = new Doing(session, choice, "cache unpin").open(target.volume())) {
            return volume.caches().requests().unpin(path);
        }
    }

    private static void require(boolean found, String place) throws IOException {
        if (!found) {
            throw new Refusal(Refusal.Reason.NOT_FOUND, "%s is not pinned".formatted(place), "volsh cache pins");
        }
    }
}
