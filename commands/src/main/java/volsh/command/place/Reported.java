package volsh.command.place;

import volsh.command.render.Columns;
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
}
