package volsh.mount;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import volsh.cache.DirectoryUsage;
import volsh.cache.Usage;
import volsh.fuse.OperationStats;

/**
 * What a mount says of itself: bytes read and written since it began, bytes not yet in the store, its cache in memory and its
 * cache directories, and its operations.
 */
public record MountStats(
        long readBytes, long writtenBytes, long bufferedBytes, Usage cache, List<DirectoryUsage> directories,
        List<OperationStats.Row> operations) {
    public static final MountStats NONE = new MountStats(0, 0, 0, Usage.NONE, List.of(), List.of());

    List<String> lines() {
        var lines = new ArrayList<String>();
        lines.add("bytes %d %d %d".formatted(readBytes, writtenBytes, bufferedBytes));
        lines.add("cache %d %d %d %d %d %d %d".formatted(
                cache.hits(), cache.misses(), cache.prefetched(), cache.evictions(), cache.bytes(), cache.budget(), cache.leases()));
        for (var each : directories) {
            lines.add("directory %d %d %d %d %d %d %d %d %d %d %d %s".formatted(
                    each.up() ? 1 : 0, each.hits(), each.misses(), each.kept(), each.skipped(), each.evictions(), each.damaged(),
                    each.failures(), each.blocks(), each.bytes(), each.quotaBytes(), each.directory()));
        }
        for (var row : operations) {
            lines.add("operation %s %d %d %d %d %d".formatted(row.operation(), row.count(), row.failed(), row.p50(), row.p99(), row.max()));
        }
        return lines;
    }

    static MountStats parse(List<String> lines) {
        long[] bytes = numbers(lines.get(0));
        long[] cache = numbers(lines.get(1));
        var directories = new ArrayList<DirectoryUsage>();
        var rows = new ArrayList<OperationStats.Row>();
        for (var line : lines.subList(2, lines.size())) {
            if (line.startsWith("directory ")) {
                directories.add(directory(line));
                continue;
            }
            var words = line.split(" ", 3);
            long[] row = numbers(words[1] + " " + words[2]);
            rows.add(new OperationStats.Row(words[1], row[0], row[1], row[2], row[3], row[4]));
        }
        var usage = new Usage(cache[0], cache[1], cache[2], cache[3], cache[4], cache[5], cache[6]);
        return new MountStats(bytes[0], bytes[1], bytes[2], usage, directories, rows);
    }

    /** The path comes last: it may have blanks in it. */
    private static DirectoryUsage directory(String line) {
        var words = line.split(" ", 13);
        long[] n = Stream.of(words).skip(1).limit(11).mapToLong(Long::parseLong).toArray();
        return new DirectoryUsage(Path.of(words[12]), n[0] == 1, n[1], n[2], n[3], n[4], n[5], n[6], n[7], n[8], n[9], n[10]);
    }

    /** The numbers behind the first word. */
    private static long[] numbers(String line) {
        return Stream.of(line.split(" ")).skip(1).mapToLong(Long::parseLong).toArray();
    }
}
