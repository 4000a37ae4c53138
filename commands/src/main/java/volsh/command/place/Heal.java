package volsh.command.place;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.block.Bandwidth;
import volsh.block.Pause;
import volsh.catalog.Access;
import volsh.catalog.StoreEntry;
import volsh.command.Examples;
import volsh.command.Guard;
import volsh.command.Mutation;
import volsh.command.Outcome;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.failure.Diagnosis;
import volsh.command.failure.ExitCode;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.unit.Rate;
import volsh.unit.Span;
import volsh.volume.BlockCare.Report;
import volsh.volume.Volumes;

@Command(name = "heal", description = {"Rebuild the parts of blocks that stores lack.",
        "Works through the list of missing parts: writes that a store missed, and damage that readers and 'volsh scrub'"
                + " found. A store without the volume's mark was wiped, or its disk is not mounted: it is refilled"
                + " after a confirmation. Verifies everything before writing it. Heals several blocks at a time,"
                + " fewer while the stores are busy: readers and writers continue.",
        "Exit 7 if a file is lost, 8 if a store has no space left, 6 if a store still does not answer."})
@Examples({"volsh heal big", "volsh heal big --watch", "volsh heal big --confirm s2", "volsh heal big --limit 200MB/s",
        "volsh heal big --no-refill -o json"})
final class Heal implements Mutation<Outcome<Rows<Reported>>> {
    @Parameters(paramLabel = "VOLUME", description = "Volume to heal.")
    private String name;

    @Option(names = "--watch",
            description = "Continue until redundancy is complete, or Ctrl-C; check every few seconds.")
    private boolean watch;

    @Option(names = "--every", paramLabel = "TIME", defaultValue = "5s",
            description = "Set the pause of --watch (default: ${DEFAULT-VALUE}).")
    private Span every;

    @Option(names = "--no-refill", description = "Skip stores that have no mark of the volume.")
    private boolean leave;

    @Option(names = "--limit", paramLabel = "RATE", description = "Limit the read rate, such as 200MB/s.")
    private @Nullable Rate limit;

    private Set<String> wiped = Set.of();   // the stores to confirm
    private Optional<IOException> failure = Optional.empty();   // of the last round

    @Override
    public Columns<?> columns() {
        return Reported.COLUMNS;
    }

    @Override
    public Plan plan(Session session) throws Exception {
        var redundancy = session.service(Volumes.class).spreading().redundancy(name);
        return redundancy.isWhole() ? Plan.NOTHING : Plan.of("heal", "volume '" + name + "'", redundancy.toString());
    }

    @Override
    public Guard guard(Session session) throws Exception {
        var stores = leave ? List.<StoreEntry>of() : session.service(Volumes.class).spreading().unmarked(name);
        wiped = stores.stream().map(StoreEntry::name).collect(Collectors.toSet());
        if (stores.isEmpty()) {
            return Guard.NONE;
        }
        String places = stores.stream().map(store -> "store '%s' (%s)".formatted(store.name(), store.url()))
                .collect(Collectors.joining(" and "));
        return new Guard.TypeName(
                "%s has no mark of volume '%s'. Refill it if it was wiped. If its disk is only not mounted,"
                .formatted(places, name) + " mount the disk instead, or skip the store with --no-refill.",
                names(stores));
    }

    private static String names(List<StoreEntry> stores) {
        return stores.stream().map(StoreEntry::name).collect(Collectors.joining(","));
    }

    @Override
    public Outcome<Rows<Reported>> run(Session session) throws Exception {
        var volumes = session.service(Volumes.class);
        wiped.forEach(store -> session.say("store '" + store + "' is refilled"));
        var report = once(session);
        while (watch && !volumes.spreading().redundancy(name).isWhole() && report.lost().isEmpty()) {
            session.say(volumes.spreading().redundancy(name).toString());
            pause(session, every.duration());
            report = once(session);
        }
        var redundancy = volumes.spreading().redundancy(name);
        session.say(redundancy.toString());
        var why = failure.filter(_ -> !redundancy.isWhole()).map(Diagnosis::of);
        why.ifPresent(problem -> session.warn("not healed: " + problem.message()));
        why.ifPresent(problem -> problem.hints().forEach(hint -> session.warn("see " + hint)));
        boolean full = why.isPresent() && why.get().exit() == ExitCode.NO_SPACE;
        return Reported.outcome(session, name, report, !report.lost().isEmpty() ? ExitCode.INTEGRITY
                : redundancy.isWhole() ? ExitCode.OK : full ? ExitCode.NO_SPACE : ExitCode.UNAVAILABLE);
    }

    private Report once(Session session) throws Exception {
        try (var caring = new Caring(session, name, Access.WRITE, "heal")) {
            if (limit != null) {
                caring.care().limit(new Bandwidth(limit, Pause.REAL));
            }
            var report = caring.care().heal(wiped);
            failure = caring.failure();
            return report;
        }
    }

    private static void pause(Session session, Duration span) throws InterruptedException {
        try (var _ = session.cancellation().interrupting()) {
            Thread.sleep(span);
        } catch (InterruptedException stop) {
            session.cancellation().check();
            throw stop;
        }
        session.cancellation().check();
    }
}
