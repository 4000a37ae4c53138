package volsh.command.gateway;

import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import volsh.catalog.Home;
import volsh.command.Examples;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.gateway.AccessKey;
import volsh.gateway.AccessKeys;
import volsh.unit.Span;
import volsh.volume.Volumes;

@Command(name = "create", description = {"Create an access key for the gateways of this home.",
        "Shows the secret once. It is kept in a file that only this user can read. Gateways that run accept the key"
                + " at once."})
@Examples({"volsh gateway key create", "volsh gateway key create --volume training-data --read-only --expires 7d",
        "volsh gateway key create --volume training-data --prefix train/ -n"})
final class GatewayKeyCreate implements Mutation<Rows<AccessKey>> {
    private static final Columns<AccessKey> COLUMNS = Columns.of(AccessKey.class)
            .text("key", AccessKey::id)
            .text("secret", AccessKey::secret)
            .text("volumes", key -> key.volumes().isEmpty() ? "all" : String.join(",", key.volumes()))
            .text("prefix", AccessKey::prefix)
            .text("access", key -> key.readOnly() ? "read" : "write")
            .time("expires", key -> key.expires().orElse(null));

    @Option(names = "--volume", paramLabel = "VOLUME", split = ",",
            description = "Open only these volumes (default: all that a gateway serves).")
    private List<String> volumes = List.of();

    @Option(names = "--prefix", paramLabel = "KEY", defaultValue = "",
            description = "Open only keys that begin with this, such as train/.")
    private String prefix;

    @Option(names = "--read-only", description = "Allow only reads.")
    private boolean readOnly;

    @Option(names = "--expires", paramLabel = "TIME", description = "Expire after this time (default: never).")
    private Span expires;

    @Override
    public Columns<?> columns() {
        return COLUMNS;
    }

    @Override
    public Plan plan(Session session) throws Exception {
        check(session);
        return Plan.of("create", "access key", "%s %s, %s".formatted(readOnly ? "reads" : "reads and writes",
                volumes.isEmpty() ? "all volumes" : String.join(",", volumes),
                expires == null ? "does not expire" : "expires in " + expires));
    }

    private void check(Session session) throws Exception {
        for (String name : volumes) {
            session.service(Volumes.class).find(name);
        }
        if (expires != null && expires.duration().isZero()) {
            throw CommandFailure.usage("--expires must be more than 0, such as 7d");
        }
    }

    @Override
    public Rows<AccessKey> run(Session session) throws Exception {
        check(session);
        var now = session.clock().instant();
        var key = new AccessKeys(session.service(Home.class).state()).create(volumes, prefix, readOnly, now,
                Optional.ofNullable(expires).map(span -> now.plus(span.duration())));
        session.say("created access key %s; its secret is shown only once".formatted(key.id()));
        return Rows.one(COLUMNS, key);
    }
}
