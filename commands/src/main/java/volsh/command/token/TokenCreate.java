package volsh.command.token;

import java.time.Instant;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.command.Examples;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.engine.postgres.Token;
import volsh.fs.ShellWord;
import volsh.unit.Span;
import volsh.volume.Volumes;

@Command(name = "create", description = {
        "Create a token: access to a volume for another user, until it expires or is revoked.",
        "The database enforces it: the token is a role with a random password, which may use no table and only call"
                + " functions that check the token each time. So it works only for volumes with metadata in"
                + " PostgreSQL, and the database user needs CREATEROLE.",
        "With --path it shows the metadata of that directory and everything below it, and nothing else. It gives no"
                + " access to the store: the user of the token also needs credentials for the store, which the token"
                + " does not limit. See docs/SECURITY.md."})
@Examples({"volsh token create shared --path /data --read-only --expires 7d",
        "volsh token create shared --expires 12h --note 'nightly import'", "volsh token create shared --read-only -n"})
final class TokenCreate implements Mutation<Rows<TokenCreate.Made>> {
    /** A new token, and how to use it. */
    record Made(TokenRow row, String url, String password) {
        static final Columns<Made> COLUMNS = Columns.of(Made.class)
                .text("token", made -> made.row().token().id())
                .text("path", made -> made.row().token().path().orElse("/"))
                .text("access", made -> made.row().token().readOnly() ? "read" : "write")
                .time("expires", made -> made.row().token().expires().orElse(null))
                .text("url", Made::url)
                .text("password", Made::password);
    }

    @Parameters(paramLabel = "VOLUME", description = "Volume to share.")
    private String volume;

    @Option(names = "--path", paramLabel = "PATH",
            description = "Show only this directory and everything below; follows the directory when renamed. Needs"
                    + " --read-only.")
    private String path;

    @Option(names = "--read-only", description = "Allow only reads.")
    private boolean readOnly;

    @Option(names = "--expires", paramLabel = "TIME", defaultValue = "7d",
            description = "Expire after this time (default: ${DEFAULT-VALUE}).")
    private Span expires;

    @Option(names = "--note", paramLabel = "TEXT", defaultValue = "", description = "Note the holder or purpose.")
    private String note;

    @Override
    public Columns<?> columns() {
        return Made.COLUMNS;
    }

    private Token.Wish wish(Session session) throws Exception {
        if (expires.duration().isZero()) {
            throw CommandFailure.usage("--expires must be more than 0, such as 7d");
        }
        return session.service(Volumes.class).tokens()
                .checkCreate(volume, Optional.ofNullable(path), readOnly, Optional.of(expires.duration()), note);
    }

    @Override
    public Plan plan(Session session) throws Exception {
        var wish = wish(session);
        return Plan.of("create", "token of volume " + volume, "%s %s for %s".formatted(
                wish.readOnly() ? "reads" : "reads and writes", wish.place().map(Token.Place::path).orElse("/"),
                expires));
    }

    @Override
    public Rows<Made> run(Session session) throws Exception {
        var made = session.service(Volumes.class).tokens().create(volume, wish(session));
        String word = made.url().password().orElse("");
        session.say("created token %s; its password is shown only once".formatted(made.token().id()));
        session.say("on another machine: PGPASSWORD=... volsh volume attach %s".formatted(ShellWord.of(made.url())));
        return Rows.one(Made.COLUMNS, new Made(new TokenRow(volume, made.token(), Instant.now()), made.url().toString(),
                word));
    }
}
