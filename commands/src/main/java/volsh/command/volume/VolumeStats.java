package volsh.command.volume;

import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import volsh.catalog.Access;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.Session;
import volsh.command.Tabular;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.unit.ByteSize;
import volsh.upkeep.Statistics;
import volsh.volume.Volumes;

@Command(name = "stats", description = {
        "Count what makes up a volume: files by size, extents, blocks, packing, history.",
        "Reads all of the metadata; 'volsh volume show' answers at once with less detail."})
@Examples({"volsh volume stats training-data", "volsh volume stats training-data -o json"})
final class VolumeStats implements Action<Rows<Statistics.Result>>, Tabular {
    private static final Columns<Statistics.Result> COLUMNS = Columns.of(Statistics.Result.class)
            .number("files", Statistics.Result::files)
            .number("directories", Statistics.Result::directories)
            .number("links", Statistics.Result::links)
            .number("others", Statistics.Result::others)
            .bytes("size", Statistics.Result::bytes)
            .bytes("withoutHoles", Statistics.Result::heldBytes)
            .text("sizes", VolumeStats::sizes)
            .number("inlineFiles", Statistics.Result::inlineFiles)
            .bytes("inline", Statistics.Result::inlineBytes)
            .number("extents", Statistics.Result::extents)
            .number("extentsOfAFileAtMost", Statistics.Result::extentsMost)
            .number("blocks", Statistics.Result::blocks)
            .bytes("raw", Statistics.Result::rawBytes)
            .bytes("stored", Statistics.Result::storedBytes)
            .number("importedBlocks", Statistics.Result::importedBlocks)
            .bytes("imported", Statistics.Result::importedBytes)
            .number("compression", result -> ratio(result.rawBytes(), result.storedBytes()))
            .number("packs", Statistics.Result::packs)
            .number("packedBlocks", Statistics.Result::packedBlocks)
            .bytes("packed", Statistics.Result::packedBytes)
            .number("versions", Statistics.Result::versions)
            .bytes("history", Statistics.Result::versionBytes)
            .number("unlinkedFiles", Statistics.Result::orphans)
            .number("blocksToDelete", Statistics.Result::deadBlocks)
            .number("rows", Statistics.Result::rows)
            .bytes("metadata", Statistics.Result::rowBytes);

    @Parameters(paramLabel = "VOLUME", description = "Volume to count.")
    private String name;

    /** Files up to a size, as shown. */
    record Sizes(String upTo, long files, ByteSize bytes) {
        @Override
        public String toString() {
            return "%s: %d (%s)".formatted(upTo, files, bytes);
        }
    }

    private static List<Sizes> sizes(Statistics.Result result) {
        return result.sizes().stream().filter(bucket -> bucket.files() > 0)
                .map(bucket -> new Sizes(bucket.upTo() == Long.MAX_VALUE ? "more"
                        : new ByteSize(bucket.upTo()).toString(), bucket.files(), new ByteSize(bucket.bytes())))
                .toList();
    }

    /** Null for zero. */
    private static @Nullable Double ratio(long raw, long stored) {
        return stored == 0 ? null : Math.round(100.0 * raw / stored) / 100.0;
    }

    @Override
    public Columns<?> columns() {
        return COLUMNS;
    }

    @Override
    public Rows<Statistics.Result> run(Session session) throws Exception {
        try (var open = session.service(Volumes.class).open(name, Access.NAMES, "stats");
                var watcher = new UpkeepProgress(session)) {
            return Rows.one(COLUMNS, open.statistics(watcher));
        }
    }
}
