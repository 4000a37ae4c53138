package volsh.view;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import volsh.dataset.DatasetDirectory;
import volsh.json.Json;

/**
 * A view as the file {@code view.json} in its directory describes it.
 *
 * @param source  the directory that it shows, as VOL:/PATH
 * @param layout  how samples were told apart
 * @param digest  of names, sizes and times of the files it shows
 * @param own     bytes that are not shared with the files: headers, labels, files that are kept in the metadata
 * @param stored  what these take in the store
 */
public record ShardView(String source, Instant created, String layout, long samples, String digest, long own,
        long stored, List<Shard> shards) {
    static final String FILE = "view.json";
    private static final int SIZE_MAX = 64 << 20;

    /** A shard of a view. */
    public record Shard(String name, long samples, long bytes) {}

    public ShardView {
        shards = List.copyOf(shards);
    }

    public long bytes() {
        return shards.stream().mapToLong(Shard::bytes).sum();
    }

    /** The view in a directory; empty if there is none. @throws IOException if its description cannot be read */
    public static Optional<ShardView> in(DatasetDirectory directory) throws IOException {
        if (directory.size(FILE).isEmpty()) {
            return Optional.empty();
        }
        try {
            var json = Json.read(directory.content(FILE, SIZE_MAX));
            var shards = new ArrayList<Shard>();
            for (var shard : json.list("shards")) {
                shards.add(new Shard(shard.text("name"), shard.number("samples"), shard.number("bytes")));
            }
            return Optional.of(new ShardView(json.text("source"), Instant.parse(json.text("created")),
                    json.text("layout"), json.number("samples"), json.text("digest"), json.number("ownBytes"),
                    json.number("storedBytes"), shards));
        } catch (RuntimeException nonsense) {
            throw new IOException("%s: not the description of a view".formatted(directory.shown(FILE)), nonsense);
        }
    }

    byte[] json() throws IOException {
        var json = new LinkedHashMap<String, Object>();
        json.put("source", source);
        json.put("created", created.toString());
        json.put("layout", layout);
        json.put("samples", samples);
        json.put("digest", digest);
        json.put("ownBytes", own);
        json.put("storedBytes", stored);
        json.put("shards", shards.stream().map(shard -> Map.of("name", shard.name(), "samples", shard.samples(),
                "bytes", shard.bytes())).toList());
        return Json.write(json);
    }
}
