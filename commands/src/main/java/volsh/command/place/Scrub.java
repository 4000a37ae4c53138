package volsh.command.place;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.block.Bandwidth;
import volsh.block.Pause;
import volsh.command.Examples;
import volsh.command.Mutation;
import volsh.command.Outcome;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.failure.ExitCode;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.unit.Rate;
import volsh.volume.Access;
import volsh.volume.Volumes;

@Command(name = "scrub", description = {"Look at every part of every block of a volume, and repair what can be.",
        "Without --deep it asks the stores only whether each part is there with the right length; with it every byte is read and"
                + " checked, of copies and parity, too.",
        "Exit 0 if everything is right now, 7 if a file cannot be read, which is named, 6 if a store does not answer."})
@Examples({"volsh scrub big", "volsh scrub big --deep --limit 200MB/s", "volsh scrub big --deep --no-repair -o json"})
final class Scrub implements Mutation<Outcome<Rows<Reported>>> {
    @Parameters(paramLabel = "VOLUME", description = "The volume.")
    private String name;

    @Option(names = "--deep", description = "Read and check every byte.")
    private boolean deep;

    @Option(names = "--no-repair", description = "Only look; what is wrong is on the list of 'volsh heal' then.")
    private boolean only;

    @Option(names = "--limit", paramLabel = "RATE", description = "Read no faster than this: 200MB/s.")
    private Rate limit;

    @Override
    public Columns<?> columns() {
        return Reported.COLUMNS;
    }

    @Override
    public Plan plan(Session session) throws Exception {
        var redundancy = session.service(Volumes.class).spreading().redundancy(name);
        return Plan.of(only ? "look through" : "repair", "volume '" + name + "'", redundancy.toString());
    }

    @Override
    public Outcome<Rows<Reported>> run(Session session) throws Exception {
        try (var caring = new Caring(session, name, Access.WRITE, "scrub")) {
            if (limit != null) {
                caring.care().limit(new Bandwidth(limit, Pause.REAL));
            }
            var report = caring.care().scrub(deep, !only);
            session.say(report.isClean() ? "every part is right" + (report.repaired() == 0 ? "" : " now")
                    : "%d missing, %d damaged, %d repaired, %d in stores that do not answer"
                            .formatted(report.missing(), report.damaged(), report.repaired(), report.unknown()));
            return Reported.outcome(session, name, report, report.isClean() ? ExitCode.OK
                    : !report.lost().isEmpty() || report.missing() + report.damaged() > report.repaired() ? ExitCode.INTEGRITY
                    : ExitCode.UNAVAILABLE);
        }
    }
}
