package volsh.command.checkpoint;

import java.util.Map;
import volsh.checkpoint.Checkpoint;
import volsh.checkpoint.Manifest;
import volsh.command.render.Columns;

/** How checkpoints are shown. */
final class CheckpointViews {
    static final Columns<Checkpoint> COLUMNS = Columns.of(Checkpoint.class)
            .text("path", Checkpoint::path)
            .text("run", Checkpoint::run)
            .number("step", Checkpoint::step)
            .text("state", one -> one.valid() ? "valid" : "damaged")
            .time("saved", one -> one.manifest().map(Manifest::saved).orElse(null))
            .number("files", one -> one.manifest().map(manifest -> manifest.files().size()).orElse(null))
            .bytes("size", one -> one.manifest().map(Manifest::bytes).orElse(null))
            .text("pinned", Checkpoint::pinned)
            .text("latest", Checkpoint::latest)
            .text("metrics", one -> one.manifest().map(Manifest::metrics).orElse(Map.of()))
            .text("trouble", Checkpoint::trouble).wide();

    private CheckpointViews() {}
}
