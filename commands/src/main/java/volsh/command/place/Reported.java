package volsh.command.place;

import volsh.catalog.Home;
import volsh.command.Outcome;
import volsh.command.Session;
import volsh.command.failure.ExitCode;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.event.EventLog;
import volsh.event.Happening;
import volsh.unit.ByteSize;
import volsh.volume.BlockCare.Report;

/** The result of scrubbing or healing a volume, as shown. */
record Reported(String volume, Report report) {
    static final Columns<Reported> COLUMNS = Columns.of(Reported.class)
            .text("volume", Reported::volume)
            .number("blocks", each -> each.report().blocks())
            .bytes("size", each -> new ByteSize(each.report().bytes()))
            .number("missing", each -> each.report().missing())
            .number("damaged", each -> each.report().damaged())
            .number("repaired", each -> each.report().repaired())
            .number("unknown", each -> each.report().unknown())
            .text("lost", each -> each.report().lost());

    /** The result of a command, with a warning for each lost file, and an event if there was a problem. */
    static Outcome<Rows<Reported>> outcome(Session session, String volume, Report report, ExitCode exitCode)
            throws Exception {
        report.lost().forEach(file -> session.warn("lost: " + file));
        if (report.missing() + report.damaged() > 0) {
            var level = report.lost().isEmpty() ? Happening.Level.WARNING : Happening.Level.ERROR;
            new EventLog(session.service(Home.class).state().resolve("events"))
                    .add(level, "store", volume, summary(report));
        }
        return new Outcome<>(Rows.one(COLUMNS, new Reported(volume, report)), exitCode);
    }

    private static String summary(Report report) {
        return "of %d blocks, missing parts: %d, damaged: %d; repaired: %d%s"
                .formatted(report.blocks(), report.missing(), report.damaged(), report.repaired(),
                        report.lost().isEmpty() ? "" : "; lost: " + String.join(", ", report.lost()));
    }
}
