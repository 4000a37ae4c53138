package volsh.transfer;

import java.util.Map;
import java.util.TreeMap;

/**
 * The result of a transfer.
 *
 * @param skipped files that were not copied because their copies were up to date
 * @param unkept  counts, by kind, the whole files that lack something of the original
 */
public record Summary(long files, long directories, long bytes, long failed, long skipped, Map<String, Long> unkept) {
    public Summary {
        unkept = Map.copyOf(unkept);
    }

    public Summary(long files, long directories, long bytes, long failed) {
        this(files, directories, bytes, failed, 0, Map.of());
    }

    public Summary plus(Summary other) {
        var all = new TreeMap<>(unkept);
        other.unkept.forEach((kind, count) -> all.merge(kind, count, Long::sum));
        return new Summary(files + other.files, directories + other.directories, bytes + other.bytes,
                failed + other.failed, skipped + other.skipped, all);
    }
}
