package volsh.dataset.shards;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import volsh.dataset.BadSamples;
import volsh.json.Fields;
import volsh.shard.ShardSummary;

/** What is known of a finished shard: kept until all are finished, then a part of {@code dataset.json}. */
record ShardRecord(String name, String split, long samples, long bytes, String crc32c, Map<String, Object> facts,
        List<BadSamples.Bad> bad) {
    Map<String, Object> json(boolean whole) {
        var json = new LinkedHashMap<String, Object>();
        json.put("name", name);
        json.put("split", split);
        json.put("samples", samples);
        json.put("bytes", bytes);
        json.put("crc32c", crc32c);
        if (whole) {
            json.put("facts", facts);
            json.put("bad", bad.stream().map(one -> Map.of("name", one.name(), "reason", one.reason())).toList());
        }
        return json;
    }

    static ShardRecord of(Fields json) throws IOException {
        var bad = new ArrayList<BadSamples.Bad>();
        if (json.has("bad")) {
            for (var one : json.list("bad")) {
                bad.add(new BadSamples.Bad(one.text("name"), one.text("reason")));
            }
        }
        return new ShardRecord(json.text("name"), json.text("split"), json.number("samples"), json.number("bytes"),
                json.text("crc32c"), json.has("facts") ? json.fields("facts").values() : Map.of(), bad);
    }

    ShardSummary summary() {
        return new ShardSummary(name.substring(name.lastIndexOf('/') + 1), samples, bytes, facts);
    }
}
