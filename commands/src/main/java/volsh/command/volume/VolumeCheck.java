package volsh.command.volume;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.care.Garbage;
import volsh.command.Examples;
import volsh.command.Guard;
import volsh.command.Mutation;
import volsh.command.Outcome;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.Diagnosis;
import volsh.command.failure.ExitCode;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.inventory.JournalRow;
import volsh.unit.ByteSize;
import volsh.unit.Count;
import volsh.upkeep.check.CheckReport;
import volsh.upkeep.check.Damage;
import volsh.upkeep.check.Finding;
import volsh.upkeep.repair.Repair;
import volsh.volume.JournalControl;
import volsh.volume.KnownDamage;
import volsh.volume.Volumes;

@Command(name = "check", description = {
        "Compare all metadata and objects of a volume with each other, and repair them.",
        "Checking works online; --repair requires that the volume is not in use. Repairing deletes no data: files"
                + " without a name go to /lost+found, and every row is saved before it is changed, in the volume's"
                + " directory. Exit 7 if damage is left, or known and not checked now; 6 if the only problem is a"
                + " store that does not answer or is missing."})
@Examples({"volsh volume check training-data", "volsh volume check training-data --deep -o json",
        "volsh volume check training-data --path /dataset", "volsh volume check training-data --repair --dry-run",
        "volsh volume check training-data --repair", "volsh volume check training-data --repair --lost-journals"})
final class VolumeCheck implements Mutation<Outcome<Rows<VolumeCheck.Row>>> {
    /** Younger objects may belong to a write in progress. */
    private static final Duration LEFT_ALONE = Duration.ofHours(24);

    private static final Columns<Row> COLUMNS = Columns.of(Row.class)
            .text("damage", Row::damage)
            .text("subject", Row::subject)
            .text("state", Row::state)
            .text("paths", Row::paths)
            .text("detail", Row::detail)
            .number("files", Row::files).wide()
            .text("meaning", row -> row.damage().meaning()).wide()
            .text("repair", row -> row.damage().repair()).wide();

    @Parameters(paramLabel = "VOLUME", description = "Volume to check.")
    private String name;

    @Option(names = "--deep", description = "Also read every block and verify its checksums.")
    private boolean deep;

    @Option(names = "--repair", description = "Repair what can be repaired.")
    private boolean repair;

    @Option(names = "--lost-journals",
            description = "With --repair: give up data in journals that are not on this machine, because their hosts"
                    + " or disks are lost for good. Names the files that need it.")
    private boolean lostJournals;

    @Option(names = "--path", paramLabel = "PATH",
            description = "Report only this directory or file of the volume; with --deep, read only that.")
    private Optional<String> path = Optional.empty();

    /** A problem that was found or repaired. */
    record Row(Damage damage, String subject, String state, List<String> paths, long more, String detail) {
        static Row of(CheckReport.Problem problem, String state) {
            long more = problem.finding().more();
            String detail = problem.finding().detail();
            String others = (detail.isEmpty() ? "" : "; ") + "and " + Count.of(more, "more file");
            return new Row(problem.damage(), problem.finding().subject(), state, problem.paths(), more,
                    more == 0 ? detail : detail + others);
        }

        /** The number of files affected; {@code paths} has the first of them. */
        long files() {
            return paths.size() + more;
        }
    }

    @Override
    public Columns<?> columns() {
        return COLUMNS;
    }

    @Override
    public Plan plan(Session session) throws Exception {
        requireSense();
        session.service(Volumes.class).find(name);
        var plan = Plan.NOTHING;
        for (var journal : lost(session)) {
            plan = plan.then("give up", "journal %s:%s".formatted(journal.host(), journal.directory()),
                    "up to %s in %s".formatted(new ByteSize(journal.bytes()), Count.of(journal.blocks(), "block")));
        }
        if (repair && session.service(Volumes.class).upkeep().hasDamagedLog(name)) {
            // a later check finds the rest
            return plan.then("repair", Damage.LOG_DAMAGED.toString(), Damage.LOG_DAMAGED.repair());
        }
        if (repair) {
            var report = look(session);
            plan = repairs(plan, report);
            var unseen = unseen(session, report);
            if (unseen.isPresent()) {
                plan = plan.then("leave", unseen.get().toString(), "known since %s, not checked now: %s".formatted(
                        unseen.get().time(), unseen.get().next(name))).ending(ExitCode.INTEGRITY);
            }
        }
        return plan;
    }

    /** Repairs nothing in a database whose pages are inconsistent. */
    private static Plan repairs(Plan before, CheckReport report) {
        var plan = before;
        boolean any = !report.counts().containsKey(Damage.DATABASE_DAMAGED);
        for (var finding : any ? Repair.plan(report) : List.<Finding>of()) {
            plan = plan.then("repair", subject(finding), finding.damage().repair());
        }
        var left = report.problems().stream()
                .filter(problem -> !problem.damage().isHarmless() && !(any && problem.damage().isRepairable()))
                .toList();
        for (var problem : left) {
            var files = problem.paths().isEmpty() ? "" : String.join(", ", problem.paths())
                    + (problem.finding().more() == 0 ? "; " : " and %d more; ".formatted(problem.finding().more()));
            plan = plan.then("leave", subject(problem.finding()),
                    files + (problem.damage().isRepairable() ? "nothing" : problem.damage().repair()));
        }
        boolean away = left.stream().allMatch(problem -> problem.damage() == Damage.STORE_AWAY);
        return left.isEmpty() ? plan : plan.ending(away ? ExitCode.UNAVAILABLE : ExitCode.INTEGRITY);
    }

    private static String subject(Finding finding) {
        return "%s: %s".formatted(finding.damage(), finding.subject());
    }

    @Override
    public Guard guard(Session session) throws Exception {
        requireSense();
        var lost = lost(session);
        return lost.isEmpty() ? new Guard.NameIfGiven(name) : new Guard.TypeName(("This loses all data that is only in "
                + "%s. If that host can come back, run 'volsh cache flush %s' there instead.")
                .formatted(lost.stream().map(journal -> journal.host() + ":" + journal.directory())
                        .collect(Collectors.joining(" and ")), name), name);
    }

    private List<JournalRow> lost(Session session) throws Exception {
        return lostJournals ? session.service(Volumes.class).journals().left(name).stream()
                .filter(journal -> !JournalControl.isHere(journal)).toList() : List.of();
    }

    private void requireSense() {
        if (lostJournals && !repair) {
            throw CommandFailure.usage("--lost-journals needs --repair");
        }
        if (repair && path.isPresent()) {
            throw CommandFailure.usage("--repair and --path exclude each other: a repair covers the whole volume");
        }
    }

    private CheckReport look(Session session) throws Exception {
        try (var watcher = new UpkeepProgress(session)) {
            return session.service(Volumes.class).upkeep().check(name, deep, path, watcher);
        }
    }

    @Override
    public Outcome<Rows<Row>> run(Session session) throws Exception {
        requireSense();
        CheckReport report;
        if (!repair && session.service(Volumes.class).upkeep().hasDamagedLog(name)) {
            throw CommandFailure.of(ExitCode.INTEGRITY, "META-0008",
                    "volume '%s' cannot be opened: %s".formatted(name, Damage.LOG_DAMAGED.meaning()))
                    .detail("repair: " + Damage.LOG_DAMAGED.repair())
                    .hint("volsh volume check %s --repair".formatted(name));
        }
        if (repair) {
            try (var watcher = new UpkeepProgress(session)) {
                report = session.service(Volumes.class).upkeep().repair(name, deep, lostJournals, watcher);
            }
        } else {
            report = look(session);
        }
        var rows = new ArrayList<Row>();
        report.repairs().forEach(problem -> rows.add(Row.of(problem, "repaired")));
        report.problems().forEach(problem -> rows.add(Row.of(problem, state(problem.damage()))));
        var unseen = unseen(session, report);
        tell(session, report, unseen);
        if (path.isEmpty()) {
            tellUnneeded(session, rows);
        }
        var shown = Rows.of(COLUMNS, rows);
        var exit = isDoubtful(unseen) ? ExitCode.INTEGRITY : report.isClean() ? ExitCode.OK
                : report.isOnlyAway() ? ExitCode.UNAVAILABLE : ExitCode.INTEGRITY;
        return new Outcome<>(rows.isEmpty() ? shown.told() : shown, exit);
    }

    /** Known damage that this check could not have found. */
    private Optional<KnownDamage.Found> unseen(Session session, CheckReport report) throws Exception {
        var volumes = session.service(Volumes.class);
        return volumes.upkeep().knownDamage(volumes.find(name))
                .flatMap(known -> known.without(report.counts().keySet()));
    }

    /** Whether the known damage may be in the checked part: a deep check of a path vouches for that path. */
    private boolean isDoubtful(Optional<KnownDamage.Found> unseen) {
        return unseen.isPresent() && !(deep && path.isPresent());
    }

    private static String state(Damage damage) {
        return damage == Damage.STORE_AWAY ? "unavailable" : damage.isHarmless() ? "harmless" : "damaged";
    }

    /** Reports unreachable objects in the store: no damage, but they take space. */
    private void tellUnneeded(Session session, List<Row> rows) {
        Garbage unneeded;
        try {
            unneeded = session.service(Volumes.class).upkeep()
                    .checkCollect(name, LEFT_ALONE, true, Garbage.Watcher.NONE);
        } catch (Exception unknown) {
            session.warn("cannot count the unreachable objects in the store: %s"
                    .formatted(Diagnosis.of(unknown).message()));
            return;
        }
        unneeded.cutOff().named()
                .forEach(left -> rows.add(new Row(Damage.PUT_CUT_OFF, left, "harmless", List.of(), 0, "")));
        if (unneeded.count() > unneeded.versions()) {
            session.say(("the store holds unreachable data: %s (%s) waiting to be reclaimed, "
                    + "%s (%s) without a reference, %s (%s) of killed processes;"
                    + " to delete it: volsh volume gc %s --delete").formatted(Count.of(unneeded.blocks(), "block"),
                    new ByteSize(unneeded.bytes()), Count.of(unneeded.objects(), "object"),
                    new ByteSize(unneeded.objectBytes()), Count.of(unneeded.cutOff().puts(), "unfinished put"),
                    new ByteSize(unneeded.cutOff().bytes()), name));
        }
    }

    private void tell(Session session, CheckReport report, Optional<KnownDamage.Found> unseen) {
        var totals = report.totals();
        String directories = totals.directories() == 1 ? "1 directory" : totals.directories() + " directories";
        session.say("checked %s and %s with %s, %s of %s%s".formatted(Count.of(totals.files(), "file"), directories,
                new ByteSize(totals.bytes()), Count.of(totals.blocks(), "block"), new ByteSize(totals.storedBytes()),
                deep ? ", every block read%s".formatted(totals.importedBytes() > 0
                        ? "; %s in objects of buckets, compared by ETag and size".formatted(
                                new ByteSize(totals.importedBytes())) : "") : ""));
        long repairable = report.problems().stream().filter(problem -> problem.damage().isRepairable()).count();
        if (!report.repairs().isEmpty()) {
            session.say("repaired %d; the rows as they were are in 'repairs' in the volume's directory"
                    .formatted(report.repairs().size()));
        }
        if (totals.elsewhere() > 0) {
            session.warn(("%s not in the store and can only be in a journal "
                    + "on another machine: run 'volsh cache flush %s' there;"
                    + " if that journal is lost for good: volsh volume check %s --repair --lost-journals").formatted(
                    totals.elsewhere() == 1 ? "1 block is" : totals.elsewhere() + " blocks are", name, name));
        }
        unseen.ifPresent(known -> session.warn("%s; %s".formatted(
                !deep ? (report.isClean() ? "metadata and sizes are correct; " : "") + "this check read no blocks"
                        : path.isPresent() ? "this check covers only %s".formatted(path.get())
                        : "this check could not read a store that does not answer", known.sentence(name))));
        if (report.isClean() && isDoubtful(unseen)) {
            return;
        }
        if (report.isClean() && unseen.isPresent()) {
            session.say("found no problem in %s:%s".formatted(name, path.orElseThrow()));
        } else if (report.isClean()) {
            session.say((totals.elsewhere() > 0 ? "found no other problem in " : "found no problem in ")
                    + VolumeViews.quoted(name));
        } else {
            session.warn("found %s, %d of them repairable%s".formatted(Count.of(report.left(), "problem"), repairable,
                    repairable > 0 && !repair ? ": volsh volume check %s --repair".formatted(name) : ""));
        }
        if (!report.quiet() && !report.isClean()) {
            session.say("the volume is in use; only problems that several passes confirmed are shown");
        }
    }
}
