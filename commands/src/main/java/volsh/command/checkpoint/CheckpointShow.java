package volsh.command.checkpoint;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import volsh.checkpoint.Checkpoint;
import volsh.checkpoint.Manifest;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.Listing;
import volsh.command.Session;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.unit.ByteSize;

@Command(name = "show", description = {"Show the files of a checkpoint with size and SHA-256, as in its manifest.",
        "NEW counts the bytes stored for it, SHARED the bytes that an earlier checkpoint had stored already, INLINE"
                + " those of small files, which are in the metadata and take no space in a store; the rest"
                + " are zeros, which take no space. Also shows metrics and labels; programs get them from volsh"
                + " checkpoint list -o json."})
@Examples({"volsh checkpoint show training-data --run r1",
        "volsh checkpoint show training-data --run r1 --step 1000 -o csv"})
final class CheckpointShow implements Action<Rows<Manifest.Entry>>, Listing {
    private static final Columns<Manifest.Entry> COLUMNS = Columns.of(Manifest.Entry.class)
            .text("path", Manifest.Entry::path)
            .bytes("size", Manifest.Entry::size)
            .bytes("new", Manifest.Entry::fresh)
            .bytes("shared", Manifest.Entry::shared)
            .bytes("inline", Manifest.Entry::inline)
            .text("sha256", Manifest.Entry::sha256);

    @Mixin
    private Which which;

    @Override
    public Columns<?> columns() {
        return COLUMNS;
    }

    @Override
    public Rows<Manifest.Entry> run(Session session) throws Exception {
        try (var open = OpenCheckpoints.reading(session, which.volume(), "show")) {
            Checkpoint found = open.find(which.run(), which.step());
            session.say("%s:%s, %s%s".formatted(which.volume(), found.path(), found.valid() ? "valid" : found.trouble(),
                    found.manifest().map(CheckpointShow::sizes).orElse("")));
            found.manifest().ifPresent(manifest -> told(session, manifest));
            return Rows.of(COLUMNS, found.manifest().map(Manifest::files).orElse(List.of()));
        }
    }

    /** The metrics and labels of the job. */
    private static void told(Session session, Manifest manifest) {
        if (!manifest.metrics().isEmpty()) {
            session.say("metrics: " + words(manifest.metrics()));
        }
        if (!manifest.labels().isEmpty()) {
            session.say("labels: " + words(manifest.labels()));
        }
    }

    private static String words(Map<String, ?> values) {
        return new TreeMap<>(values).entrySet().stream().map(entry -> entry.getKey() + "=" + entry.getValue())
                .collect(Collectors.joining(", "));
    }

    private static String sizes(Manifest manifest) {
        return ", %s: %s new, %s shared, %s inline".formatted(
                new ByteSize(manifest.bytes()), new ByteSize(manifest.fresh()), new ByteSize(manifest.shared()),
                new ByteSize(manifest.inline()));
    }
}
