package volsh.dataset;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import volsh.json.Json;

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

    Optional<ShardRecord> find(String name) {
        return shards.stream().filter(shard -> shard.name().equals(name)).findFirst();
    }
}
