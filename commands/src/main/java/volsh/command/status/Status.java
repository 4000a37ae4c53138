package volsh.command.status;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.Listing;
import volsh.command.Outcome;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.render.Columns;
import volsh.command.render.OutputFormat;
import volsh.command.render.Rows;
import volsh.mount.AtRisk;
import volsh.mount.Mounts;
import volsh.unit.Span;

@Command(name = "status", description = {
        "Show the health of this machine's volumes, mounts, stores and gateways, and mount activity.",
        "The first line says how many problems there are, and names the worst of them and the command to run next.",
        "Of more than " + Status.SHORT + " objects only those with a problem, a warning or data at risk are shown;"
                + " --all, -o wide and the formats for programs show every one.",
        "ATRISK, COMMITS and SINCE show what losing this host now would cost: bytes that exist only in its memory or"
                + " journals, commits whose metadata is not in the store, and the time of the oldest.",
        "A volume is nearly full if 90% of its quota, or of one of a directory or owner in it, is used, and full from"
                + " 99% on.",
        "Exit 0: everything is healthy, or nearly full. 11: data is at risk (older than --rpo, or impossible to store),"
                + " or a background task of a mount fails repeatedly. 8: a disk, a store or a quota is full. 9: a store"
                + " denies access, the key of an encrypted volume cannot be had, or the home is not"
                + " writable. 6: a mount, a store or a volume is unreachable."
                + " 4: another host has a volume, or the session of a mount was ended. 7: something is damaged."
                + " If several apply, the last in this list counts; NEXT shows the command to run."})
@Examples({"volsh status", "volsh status --all", "volsh status -o json", "volsh status --rpo 30s --timeout 2s"})
final class Status implements Action<Outcome<Rows<StatusRow>>>, Listing {
    private static final List<Look> OF_MOUNTS = List.of(new MountLook(), new JobLook());
    private static final List<Look> OTHERS = List.of(new VolumeLook(), new RedundancyLook(), new StoreLook(),
            new GatewayLook(), new HomeLook());

    static final String RPO = "5m";
    static final String TIMEOUT = "5s";
    /** A list of this many rows is read as a whole; a longer one hides what is wrong. */
    static final int SHORT = 40;

    @Option(names = "--rpo", paramLabel = "TIME", defaultValue = RPO,
            description =
                    "Report data that only this host has as at risk from this age on (default: ${DEFAULT-VALUE}).")
    private Span rpo;

    @Option(names = "--timeout", paramLabel = "TIME", defaultValue = TIMEOUT,
            description = "Report an object that does not answer within this time as unavailable; stores and"
                    + " volumes get a second try (default: ${DEFAULT-VALUE}).")
    private Span timeout;

    @Option(names = "--all", description = "Show healthy objects too, however many they are.")
    private boolean all;

    @Override
    public Columns<?> columns() {
        return StatusRow.COLUMNS;
    }

    /** Asks everything concurrently; the rows of mounts come first. */
    private static List<Asking> asked(Session session, Duration rpo, Duration timeout) throws Exception {
        var listed = session.service(Mounts.class).listing(timeout);
        var terms = new Look.Terms(rpo, listed);
        var others = askings(OTHERS, session, terms, timeout);
        var all = askings(OF_MOUNTS, session, terms, timeout);
        all.addAll(others);
        return all;
    }

    private static List<Asking> askings(List<Look> looks, Session session, Look.Terms terms, Duration timeout)
            throws Exception {
        var all = new ArrayList<Asking>();
        for (var look : looks) {
            for (var question : look.questions(session, terms)) {
                all.add(new Asking(question, timeout));
            }
        }
        return all;
    }

    @Override
    public Outcome<Rows<StatusRow>> run(Session session) throws Exception {
        if (timeout.duration().isZero()) {
            throw CommandFailure.usage("--timeout must be more than 0s");
        }
        var rows = rows(session, rpo.duration(), timeout.duration());
        var kind = session.options().output().kind();
        if (kind == OutputFormat.Kind.TABLE || kind == OutputFormat.Kind.WIDE) {
            rows = rows.stream().map(row -> row.withNext(session.pasted(row.next()))).toList();
            session.say(StatusVerdict.of(rows));
        }
        var result = Rows.of(StatusRow.COLUMNS, rows);
        var shown = all || isChosen(session) ? rows : remarkable(rows);
        if (kind == OutputFormat.Kind.TABLE && shown.size() < rows.size()) {
            session.say("the table leaves out %d healthy objects; to see them: volsh status --all"
                    .formatted(rows.size() - shown.size()));
            result = result.briefly(shown);
        }
        return new Outcome<>(result, worst(rows).exit());
    }

    /** Whether the user looks for certain rows, here or with another program. */
    private static boolean isChosen(Session session) {
        var options = session.options();
        return !session.terminal().output() || !options.sort().isEmpty() || !options.columns().isEmpty()
                || !options.rows().isEmpty();
    }

    /** Of a long list, what is not healthy or exists on this machine alone. */
    static List<StatusRow> remarkable(List<StatusRow> rows) {
        return rows.size() <= SHORT ? rows : rows.stream()
                .filter(row -> row.health() != Health.OK || !row.risk().equals(AtRisk.NOTHING)).toList();
    }

    static Health worst(List<StatusRow> rows) {
        return rows.stream().map(StatusRow::health).reduce(Health.OK, Health::worse);
    }

    static List<StatusRow> rows(Session session, Duration rpo, Duration timeout) throws Exception {
        var all = asked(session, rpo, timeout);
        var rows = new ArrayList<StatusRow>();
        try (var _ = session.cancellation().interrupting()) {
            for (var asking : all) {
                if (asking.await().isEmpty()) {
                    asking.repeat();   // before waiting for the others, so that all second tries run concurrently
                }
            }
            for (var asking : all) {
                rows.add(asking.await().orElseGet(asking::silent));
            }
        }
        return rows;
    }
}
