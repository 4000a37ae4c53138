package volsh.dataset.shards;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import volsh.dataset.DatasetDirectory;
import volsh.json.Json;
import volsh.shard.ShardFormat;
import volsh.shard.format.Formats;

/** What {@code dataset.json} says of the shards beside it. */
record DatasetRecord(List<ShardRecord> shards) {
    private static final int SIZE_MAX = 64 << 20;

    static Optional<DatasetRecord> in(DatasetDirectory directory) throws IOException {
        if (directory.size(PackState.DATASET).isEmpty()) {
            return Optional.empty();
        }
        try {
            var shards = new ArrayList<ShardRecord>();
            for (var shard : Json.read(directory.content(PackState.DATASET, SIZE_MAX)).list("shards")) {
                shards.add(ShardRecord.of(shard));
            }
            return Optional.of(new DatasetRecord(shards));
        } catch (IOException | RuntimeException wrong) {
            throw new IOException("%s: not the description of a dataset".formatted(
                    directory.shown(PackState.DATASET)), wrong);
        }
    }

    /** Describes shards that were made of other shards. */
    static void write(DatasetDirectory target, ShardFormat format, List<ShardRecord> shards) throws IOException {
        var json = new LinkedHashMap<String, Object>();
        json.put("format", format.name().toLowerCase(Locale.ROOT));
        json.put("samples", shards.stream().mapToLong(ShardRecord::samples).sum());
        json.put("bytes", shards.stream().mapToLong(ShardRecord::bytes).sum());
        json.put("shards", shards.stream().map(shard -> shard.json(false)).toList());
        target.write(PackState.DATASET, Json.write(json));
    }

    /** Writes the index of each split, for formats that have one. */
    static void writeIndexes(DatasetDirectory target, ShardFormat format, List<ShardRecord> shards)
            throws IOException {
        for (var split : shards.stream().map(ShardRecord::split).distinct().toList()) {
            var own = shards.stream().filter(shard -> shard.split().equals(split)).toList();
            var index = Formats.datasetIndex(format, own.stream().map(ShardRecord::summary).toList());
            var first = own.getFirst().name();
            if (index.isPresent()) {
                target.write(first.substring(0, first.lastIndexOf('/') + 1) + "index.json", index.get());
            }
        }
    }

    Optional<ShardRecord> find(String name) {
        return shards.stream().filter(shard -> shard.name().equals(name)).findFirst();
    }
}
