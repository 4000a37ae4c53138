package volsh.command.checkpoint;

import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import volsh.checkpoint.Checkpoint;
import volsh.checkpoint.Manifest;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.Session;
import volsh.command.render.Columns;
import volsh.command.render.Rows;

@Command(name = "show", description = "Show the files of a checkpoint with their size and SHA-256, as the manifest has them.")
@Examples({"volsh checkpoint show training-data --run r1", "volsh checkpoint show training-data --run r1 --step 1000 -o csv"})
final class CheckpointShow implements Action<Rows<Manifest.Entry>> {
    private static final Columns<Manifest.Entry> COLUMNS = Columns.of(Manifest.Entry.class)
            .text("path", Manifest.Entry::path)
            .bytes("size", Manifest.Entry::size)
            .text("sha256", Manifest.Entry::sha256);

    @Mixin
    private Which which;

    @Override
    public Rows<Manifest.Entry> run(Session session) throws Exception {
        try (var open = OpenCheckpoints.reading(session, which.volume(), "show")) {
            Checkpoint found = open.find(which.run(), which.step());
            session.say("%s:%s, %s".formatted(which.volume(), found.path(), found.valid() ? "valid" : found.trouble()));
            return Rows.of(COLUMNS, found.manifest().map(Manifest::files).orElse(List.of()));
        }
    }
}
