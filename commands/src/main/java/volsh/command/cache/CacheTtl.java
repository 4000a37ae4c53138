package volsh.command.cache;

import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import volsh.catalog.Access;
import volsh.catalog.CacheLifetime;
import volsh.catalog.VolumePath;
import volsh.command.Examples;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.render.Columns;
import volsh.fs.ShellWord;
import volsh.unit.Span;
import volsh.volume.Volumes;

@Command(name = "ttl", description = {"Evict the data of files below a path some time after it was cached.",
        "The rule belongs to the volume: every mount with cache directories follows it within a few seconds. Time"
                + " counts from when a block entered the cache (for a block cached before the mount, from its last"
                + " write); a block may stay a tenth longer. Of several rules the shortest applies; pinned data stays"
                + " until its pin ends. 'never' removes the rule."})
@Examples({"volsh cache ttl training-data:/dataset 24h", "volsh cache ttl training-data:/dataset never"})
final class CacheTtl implements Mutation<Void> {
    private static final String NEVER = "never";

    @Parameters(index = "0", paramLabel = "VOL:/PATH", description = "Directory or file of a volume.")
    private String place;

    @Parameters(index = "1", paramLabel = "TIME|never",
            description = "Time, such as 30m, 24h or 7d; 'never' removes the rule.")
    private String time;

    @Override
    public Columns<?> columns() {
        return Columns.NONE;
    }

    @Override
    public Plan plan(Session session) throws Exception {
        var path = path(session);
        return lifetime(path).isPresent() ? Plan.of("set", "time to live of %s in caches".formatted(path), time)
                : Plan.of("remove", "time to live of %s in caches".formatted(path), "");
    }

    @Override
    public Void run(Session session) throws Exception {
        var path = path(session);
        session.service(Volumes.class).settings()
                .setCacheLifetime(path.volume(), path.path(), lifetime(path).map(CacheLifetime::time));
        session.say(time.equals(NEVER) ? "removed the time to live of %s; it stays in caches while there is space"
                .formatted(path)
                : "set the time to live of %s in caches to %s".formatted(path, Span.of(time)));
        return null;
    }

    /** The path of a rule to remove need not exist. */
    private VolumePath path(Session session) throws Exception {
        var given = VolumePath.of(place);
        var path = given.at(Targets.normal(given.path()));
        if (!time.equals(NEVER)) {
            requireThere(session, path);
        }
        return path;
    }

    private static void requireThere(Session session, VolumePath path) throws Exception {
        try (var volume = session.service(Volumes.class).open(path.volume(), Access.NAMES, "cache ttl")) {
            volume.paths().resolve(path.path());
        }
    }

    private Optional<CacheLifetime> lifetime(VolumePath path) {
        if (time.equals(NEVER)) {
            return Optional.empty();
        }
        try {
            return Optional.of(new CacheLifetime(path.path(), Span.of(time).duration()));
        } catch (IllegalArgumentException nonsense) {
            throw CommandFailure.usage(nonsense.getMessage())
                    .hint("volsh cache ttl %s 24h".formatted(ShellWord.of(place)));
        }
    }
}
