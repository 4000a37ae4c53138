package volsh.mount;

import java.util.ArrayList;
import java.util.List;
import volsh.fuse.OperationStats;

/** What a mount says of itself: bytes read and written since it began, bytes not yet in the store, and its operations. */
public record MountStats(long readBytes, long writtenBytes, long bufferedBytes, List<OperationStats.Row> operations) {

    List<String> lines() {
        var lines = new ArrayList<String>();
        lines.add("bytes %d %d %d".formatted(readBytes, writtenBytes, bufferedBytes));
        for (var row : operations) {
            lines.add("operation %s %d %d %d %d %d".formatted(row.operation(), row.count(), row.failed(), row.p50(), row.p99(), row.max()));
        }
        return lines;
    }

    static MountStats parse(List<String> lines) {
        var bytes = lines.getFirst().split(" ");
        var rows = new ArrayList<OperationStats.Row>();
        for (var line : lines.subList(1, lines.size())) {
            var words = line.split(" ");
            rows.add(new OperationStats.Row(
                    words[1], Long.parseLong(words[2]), Long.parseLong(words[3]), Long.parseLong(words[4]), Long.parseLong(words[5]), Long.parseLong(words[6])));
        }
        return new MountStats(Long.parseLong(bytes[1]), Long.parseLong(bytes[2]), Long.parseLong(bytes[3]), rows);
    }
}
