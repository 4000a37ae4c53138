package volsh.command.place;

import volsh.command.Outcome;
import volsh.command.Session;
import volsh.command.failure.ExitCode;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.unit.ByteSize;
import volsh.volume.BlockCare.Report;

/** What came of looking through the blocks of a volume, as shown. */
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

    /** As the result of a command, with a warning for each file that is lost. */
    static Outcome<Rows<Reported>> outcome(Session session, String volume, Report report, ExitCode exitCode) {
        report.lost().forEach(file -> session.warn("cannot be read any more: " + file));
        return new Outcome<>(Rows.one(COLUMNS, new Reported(volume, report)), exitCode);
    }
}
