package volsh.command.snapshot;

import java.time.Instant;
import volsh.command.render.Columns;
import volsh.meta.Snapshot;

/** A snapshot as it is shown. */
record SnapshotView(String volume, Snapshot snapshot) {
    static final Columns<SnapshotView> COLUMNS = Columns.of(SnapshotView.class)
            .text("snapshot", SnapshotView::toString)
            .time("created", view -> view.snapshot().created())
            .text("label", view -> view.snapshot().label())
            .text("volume", SnapshotView::volume).wide()
            .text("name", view -> view.snapshot().name()).wide()
            .time("of", view -> Instant.ofEpochSecond(view.snapshot().tick())).wide();

    @Override
    public String toString() {
        return volume + "@" + snapshot.name();
    }
}
