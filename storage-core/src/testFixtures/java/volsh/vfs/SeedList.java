package volsh.vfs;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;

/**
 * The seeds a randomised test runs: {@code -Dvolsh.seed=N} runs that one alone; else all that failed in the past (a
 * resource, one number a line), then {@code count} from 1 on, then one that was never run before.
 */
public record SeedList(String resource, int count, int longCount) {
    public List<Long> seeds() throws IOException {
        Long only = Long.getLong("volsh.seed");
        if (only != null) {
            return List.of(only);
        }
        var seeds = new ArrayList<>(past());
        LongStream.rangeClosed(1, Boolean.getBoolean("volsh.long") ? longCount : count).forEach(seeds::add);
        seeds.add(System.nanoTime());
        return seeds;
    }

    private List<Long> past() throws IOException {
        var stream = SeedList.class.getResourceAsStream(resource);
        if (stream == null) {
            throw new IOException("no list of past seeds: " + resource);
        }
        try (var lines = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
            return lines.lines().map(line -> line.replaceAll("#.*", "").strip()).filter(line -> !line.isEmpty())
                    .map(Long::valueOf).toList();
        }
    }
}
