package volsh.shard.format;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import volsh.json.Fields;
import volsh.json.Json;
import volsh.shard.ShardSummary;

/** The {@code index.json} that makes one dataset of MDS shards. */
public record MdsIndex(List<ShardSummary> shards) {
    public MdsIndex {
        shards = List.copyOf(shards);
    }

    public byte[] bytes() throws IOException {
        var entries = new ArrayList<Object>();
        for (var shard : shards) {
            var entry = new LinkedHashMap<>(shard.facts());
            var file = new LinkedHashMap<String, Object>();
            file.put("basename", shard.name());
            file.put("bytes", shard.bytes());
            file.put("hashes", Map.of());
            entry.put("raw_data", file);
            entry.put("samples", shard.samples());
            entry.put("zip_data", null);
            entries.add(entry);
        }
        var index = new LinkedHashMap<String, Object>();
        index.put("shards", entries);
        index.put("version", 2L);
        return Json.write(index);
    }

    /** @throws IOException if it is not one, or describes compressed shards */
    public static MdsIndex read(byte[] bytes) throws IOException {
        var index = Json.read(bytes);
        if (index.number("version") != 2) {
            throw new IOException("index.json is not version 2 of MDS");
        }
        var shards = new ArrayList<ShardSummary>();
        for (var entry : index.list("shards")) {
            shards.add(shard(entry));
        }
        return new MdsIndex(shards);
    }

    private static ShardSummary shard(Fields entry) throws IOException {
        var file = entry.fields("raw_data");
        if (entry.values().get("compression") != null) {
            throw new IOException("shard %s is compressed, which volsh does not read".formatted(file.text("basename")));
        }
        return new ShardSummary(file.text("basename"), entry.number("samples"), file.number("bytes"),
                MdsColumns.read(entry).facts());
    }
}
