package volsh.command.checkpoint;

import java.util.Map;
import java.util.OptionalLong;
import volsh.checkpoint.Checkpoint;
import volsh.checkpoint.Manifest;
import volsh.command.render.Columns;

/** The columns of checkpoints. */
final class CheckpointViews {
    static final Columns<Checkpoint> COLUMNS = Columns.of(Checkpoint.class)
            .text("path", Checkpoint::path)
            .text("run", Checkpoint::run)
            .number("step", Checkpoint::step)
            .text("state", one -> one.valid() ? "valid" : "damaged")
            .time("saved", one -> one.manifest().map(Manifest::saved).orElse(null))
            .number("files", one -> one.manifest().map(manifest -> manifest.files().size()).orElse(null))
            .bytes("size", one -> one.manifest().map(Manifest::bytes).orElse(null))
            .bytes("new", one -> one.manifest().map(Manifest::fresh).orElse(null))
            .bytes("shared", one -> one.manifest().map(Manifest::shared).orElse(null)).wide()
            .bytes("inline", one -> one.manifest().map(Manifest::inline).orElse(null)).wide()
            .text("pinned", Checkpoint::pinned)
            .text("latest", Checkpoint::latest)
            .text("metrics", one -> one.manifest().map(Manifest::metrics).orElse(Map.of()))
            .number("world", one -> one.manifest().map(Manifest::world).filter(ranks -> ranks > 0).orElse(null)).wide()
            .number("parent", one -> one.manifest().map(Manifest::parent).filter(OptionalLong::isPresent)
                    .map(OptionalLong::getAsLong).orElse(null)).wide()
            .text("labels", one -> one.manifest().map(Manifest::labels).orElse(Map.of())).wide()
            .text("trouble", Checkpoint::trouble).wide();

    private CheckpointViews() {}
}
