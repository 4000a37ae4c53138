package volsh.command.place;

import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.block.Bandwidth;
import volsh.block.Pause;
import volsh.catalog.Access;
import volsh.command.Examples;
import volsh.command.Mutation;
import volsh.command.Outcome;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.failure.ExitCode;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.command.volume.UpkeepProgress;
import volsh.unit.Count;
import volsh.unit.Rate;
import volsh.upkeep.check.CheckReport;
import volsh.upkeep.check.Damage;
import volsh.volume.BlockCare;
import volsh.volume.KnownDamage;
import volsh.volume.Volumes;

@Command(name = "scrub", description = {"Check every part of every block of a volume, and repair what can be repaired.",
        "Without --deep it asks the stores only whether each part exists with the right length; with --deep it reads"
                + " and verifies every byte, including copies and parity. A volume with one store has nothing to"
                + " repair from: it is checked as by 'volsh volume check'.",
        "Exit 0 if everything is right now, 7 if a file cannot be read, which is named, or if damage is known that only"
                + " --deep finds, 6 if a store does not answer."})
@Examples({"volsh scrub big", "volsh scrub big --deep --limit 200MB/s", "volsh scrub big --deep --no-repair -o json"})
final class Scrub implements Mutation<Outcome<Rows<Reported>>> {
    private static final Set<Damage> BLOCKS = EnumSet.of(Damage.OBJECT_MISSING, Damage.OBJECT_CORRUPT,
            Damage.OBJECT_SIZE_WRONG);

    @Parameters(paramLabel = "VOLUME", description = "Volume to scrub.")
    private String name;

    @Option(names = "--deep", description = "Read and verify every byte.")
    private boolean deep;

    @Option(names = "--no-repair", description = "Only check; add damage to the list of 'volsh heal'.")
    private boolean only;

    @Option(names = "--limit", paramLabel = "RATE", description = "Limit the read rate, such as 200MB/s.")
    private @Nullable Rate limit;

    @Override
    public Columns<?> columns() {
        return Reported.COLUMNS;
    }

    @Override
    public Plan plan(Session session) throws Exception {
        var redundancy = session.service(Volumes.class).spreading().redundancy(name);
        return Plan.of(only ? "check" : "repair", "volume '" + name + "'", redundancy.toString());
    }

    @Override
    public Outcome<Rows<Reported>> run(Session session) throws Exception {
        if (session.service(Volumes.class).find(name).spread().isNone()) {
            return ofOneStore(session);
        }
        try (var caring = new Caring(session, name, Access.WRITE, "scrub")) {
            if (limit != null) {
                caring.care().limit(new Bandwidth(limit, Pause.REAL));
            }
            var report = caring.care().scrub(deep, !only);
            session.service(Volumes.class).upkeep().scrubbed(name, report, deep);
            var unread = unread(session);
            session.say(report.isClean() ? "every part " + right("part") + (report.repaired() == 0 ? "" : " now")
                    : "%d missing, %d damaged, %d repaired, %d in stores that do not answer"
                            .formatted(report.missing(), report.damaged(), report.repaired(), report.unknown()));
            if (report.unknown() > 0) {
                session.service(Volumes.class).spreading().redundancy(name).away()
                        .forEach(store -> session.warn(store.why()));
            }
            return Reported.outcome(session, name, report, report.isClean() ? unread
                    : !report.lost().isEmpty() || report.missing() + report.damaged() > report.repaired()
                    ? ExitCode.INTEGRITY
                    : ExitCode.UNAVAILABLE);
        }
    }

    /** With one store, missing and damaged blocks are lost. */
    private Outcome<Rows<Reported>> ofOneStore(Session session) throws Exception {
        if (limit != null) {
            session.warn("--limit has no effect: volume '%s' has one store".formatted(name));
        }
        CheckReport found;
        try (var watcher = new UpkeepProgress(session)) {
            found = session.service(Volumes.class).upkeep().check(name, deep, Optional.empty(), watcher);
        }
        long missing = count(found, Damage.OBJECT_MISSING);
        long damaged = count(found, Damage.OBJECT_CORRUPT) + count(found, Damage.OBJECT_SIZE_WRONG);
        long away = count(found, Damage.STORE_AWAY);
        var lost = found.problems().stream().filter(problem -> BLOCKS.contains(problem.damage()))
                .flatMap(problem -> problem.paths().stream()).sorted().distinct().toList();
        var report = new BlockCare.Report(found.totals().blocks(), found.totals().storedBytes(), missing, damaged, 0,
                away, lost);
        session.say(missing + damaged + away == 0 ? "every block " + right("block") : ("%d missing, %d damaged; "
                + "with one store there is no copy to repair them from").formatted(missing, damaged));
        long others = found.left() - missing - damaged - away;
        if (others > 0) {
            session.warn("%s in the metadata: volsh volume check %s".formatted(Count.of(others, "problem"), name));
        }
        var unread = unread(session);
        return Reported.outcome(session, name, report, found.isClean() ? unread
                : away > 0 && missing + damaged == 0 ? ExitCode.UNAVAILABLE : ExitCode.INTEGRITY);
    }

    /** What was compared for every block or part. */
    private String right(String one) {
        return deep ? "is intact" : "is in its store with the correct length (no %s was read)".formatted(one);
    }

    /** The exit code of a scrub without findings: damage may be known that only reading finds. */
    private ExitCode unread(Session session) throws Exception {
        var volumes = session.service(Volumes.class);
        var known = volumes.upkeep().knownDamage(volumes.find(name)).flatMap(KnownDamage.Found::unread)
                .filter(unread -> !deep);
        known.ifPresent(unread -> session.warn("this scrub read no blocks; " + unread.sentence(name)));
        return known.isPresent() ? ExitCode.INTEGRITY : ExitCode.OK;
    }

    private static long count(CheckReport report, Damage damage) {
        return report.counts().getOrDefault(damage, 0L);
    }
}
