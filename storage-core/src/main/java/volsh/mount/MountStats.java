package volsh.mount;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import volsh.cache.Usage;
import volsh.fuse.OperationStats;

/** What a mount says of itself: bytes read and written since it began, bytes not yet in the store, its cache, and its operations. */
public record MountStats(long readBytes, long writtenBytes, long bufferedBytes, Usage cache, List<OperationStats.Row> operations) {
    public static final MountStats NONE = new MountStats(0, 0, 0, Usage.NONE, List.of());

    List<String> lines() {
        var lines = new ArrayList<String>();
        lines.add("bytes %d %d %d".formatted(readBytes, writtenBytes, bufferedBytes));
        lines.add("cache %d %d %d %d %d %d %d".formatted(
                cache.hits(), cache.misses(), cache.prefetched(), cache.evictions(), cache.bytes(), cache.budget(), cache.leases()));
        for (var row : operations) {
            lines.add("operation %s %d %d %d %d %d".formatted(row.operation(), row.count(), row.failed(), row.p50(), row.p99(), row.max()));
        }
        return lines;
    }

    static MountStats parse(List<String> lines) {
        long[] bytes = numbers(lines.get(0));
        long[] cache = numbers(lines.get(1));
        var rows = new ArrayList<OperationStats.Row>();
        for (var line : lines.subList(2, lines.size())) {
            var words = line.split(" ", 3);
            long[] row = numbers(words[1] + " " + words[2]);
            rows.add(new OperationStats.Row(words[1], row[0], row[1], row[2], row[3], row[4]));
        }
        var usage = new Usage(cache[0], cache[1], cache[2], cache[3], cache[4], cache[5], cache[6]);
        return new MountStats(bytes[0], bytes[1], bytes[2], usage, rows);
    }

    /** The numbers behind the first word. */
    private static long[] numbers(String line) {
        return Stream.of(line.split(" ")).skip(1).mapToLong(Long::parseLong).toArray();
    }
}
