package volsh.mount;

import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import volsh.assembly.BackgroundTasks;
import volsh.block.Counted;
import volsh.block.Counted.Traffic;
import volsh.cache.CacheUsage;
import volsh.cache.disk.CompletedBlocks;
import volsh.cache.disk.DirectoryUsage;
import volsh.engine.MetaEngine;
import volsh.fs.Unwritten;
import volsh.fuse.OperationStats;
import volsh.inventory.Strays;
import volsh.journal.StagingStatus;
import volsh.unit.LatencyHistogram;
import volsh.warm.WholeFiles;

/**
 * Statistics of a mount: bytes read and written since it began, bytes still in memory, its traffic with the store
 * including repeated gets and readahead, what waits in journals, commits not yet in the store (empty if the volume does
 * not ship its metadata), its cache in memory and its cache directories, its operations, the time spent on checking and
 * decoding blocks over all threads, the commits to a metadata database, the latencies of store calls, and whole copies
 * of files that the kernel reads by itself.
 */
public record MountStats(
        long readBytes, long writtenBytes, Buffered buffered, Traffic traffic, Repeats repeats,
        CompletedBlocks completed, StagingStatus staged, Optional<Unshipped> unshipped, CacheUsage cache,
        List<DirectoryUsage> directories, List<OperationStats.Row> operations, long decodeNanos,
        MetaEngine.Counts metadata, Background background, Opened opened, List<Counted.Latency> store,
        WholeFiles.Usage whole) {
    public static final MountStats NONE = new MountStats(0, 0, Buffered.NOTHING, Traffic.NONE, Repeats.NONE,
            CompletedBlocks.NOTHING, StagingStatus.NOTHING, Optional.empty(), CacheUsage.NONE, List.of(), List.of(), 0,
            MetaEngine.Counts.NONE, Background.NOTHING, Opened.NOTHING, List.of());

    /** Without whole copies of files. */
    public MountStats(
            long readBytes, long writtenBytes, Buffered buffered, Traffic traffic, Repeats repeats,
            CompletedBlocks completed, StagingStatus staged, Optional<Unshipped> unshipped, CacheUsage cache,
            List<DirectoryUsage> directories, List<OperationStats.Row> operations, long decodeNanos,
            MetaEngine.Counts metadata, Background background, Opened opened, List<Counted.Latency> store) {
        this(readBytes, writtenBytes, buffered, traffic, repeats, completed, staged, unshipped, cache, directories,
                operations, decodeNanos, metadata, background, opened, store, WholeFiles.Usage.NONE);
    }

    /** For a mount whose process is gone: what it left. */
    static MountStats left(StagingStatus staged, Optional<Unshipped> unshipped) {
        return new MountStats(0, 0, Buffered.NOTHING, Traffic.NONE, Repeats.NONE, CompletedBlocks.NOTHING, staged,
                unshipped, CacheUsage.NONE, List.of(), List.of(), 0, MetaEngine.Counts.NONE, Background.NOTHING,
                Opened.NOTHING, List.of());
    }

    /** Deleted data waiting to be reclaimed, and background tasks that fail repeatedly. */
    public record Background(Strays.Waiting reclaimable, List<BackgroundTasks.Failing> failing) {
        public static final Background NOTHING = new Background(Strays.Waiting.NOTHING, List.of());
    }

    /** Bytes of files that are only in memory, and the age of the oldest. */
    public record Buffered(long bytes, Optional<Instant> oldest) {
        public static final Buffered NOTHING = new Buffered(0, Optional.empty());

        static Buffered of(List<Unwritten> files) {
            return new Buffered(files.stream().mapToLong(Unwritten::bytes).sum(),
                    files.stream().map(file -> Instant.ofEpochSecond(0, file.since())).min(Instant::compareTo));
        }
    }

    public long bufferedBytes() {
        return buffered.bytes;
    }

    /** Opened or created regular files, counted each time, and the sum of their lengths. */
    public record Opened(long files, long bytes) {
        public static final Opened NOTHING = new Opened(0, 0);

        public Opened minus(Opened before) {
            return new Opened(files - before.files, bytes - before.bytes);
        }
    }

    /** Commits that would be lost with this host, and the age of the oldest. */
    public record Unshipped(long commits, long bytes, Optional<Instant> oldest) {}

    /** Blocks read again because they were damaged; gets repeated because they were late, and how often that won. */
    public record Repeats(long rereads, long hedges, long hedgesWon) {
        public static final Repeats NONE = new Repeats(0, 0, 0);
    }

    List<String> lines() {
        var lines = new ArrayList<String>();
        lines.add("bytes %d %d %d %d %d".formatted(readBytes, writtenBytes, buffered.bytes, decodeNanos,
                buffered.oldest.map(Instant::toEpochMilli).orElse(0L)));
        lines.add("cache %d %d %d %d %d %d %d %d %d".formatted(
                cache.hits(), cache.misses(), cache.prefetched(), cache.evictions(), cache.bytes(), cache.budget(),
                cache.leases(), cache.ahead(), cache.passed()));
        lines.add("staged %d %d %d".formatted(staged.blocks(), staged.bytes(),
                staged.oldest().map(Instant::toEpochMilli).orElse(0L)));
        lines.add("traffic %d %d %d %d %d %d %d %d %d %d %d".formatted(traffic.gets(), traffic.gotBytes(),
                traffic.puts(), traffic.putBytes(), traffic.others(), repeats.rereads(), repeats.hedges(),
                repeats.hedgesWon(), completed.blocks(), completed.bytes(), traffic.getNanos()));
        staged.trouble().ifPresent(trouble -> lines.add(
                "trouble %d %s".formatted(trouble.full() ? 1 : 0, trouble.words().replace('\n', ' '))));
        staged.damaged().forEach(file -> lines.add("damaged " + file));
        unshipped.ifPresent(each -> lines.add("unshipped %d %d %d".formatted(
                each.commits(), each.bytes(), each.oldest().map(Instant::toEpochMilli).orElse(0L))));
        for (var each : directories) {
            lines.add("directory %d %d %d %d %d %d %d %d %d %d %d %s".formatted(
                    each.up() ? 1 : 0, each.hits(), each.misses(), each.kept(), each.skipped(), each.evictions(),
                    each.damaged(), each.failures(), each.blocks(), each.bytes(), each.quotaBytes(), each.directory()));
        }
        lines.add("metadata %d %d".formatted(metadata.commits(), metadata.reruns()));
        var reclaimable = background.reclaimable();
        lines.add("reclaimable %d %d %d %d".formatted(reclaimable.blocks(), reclaimable.bytes(),
                reclaimable.since().map(Instant::toEpochMilli).orElse(0L), reclaimable.more() ? 1 : 0));
        for (var each : background.failing()) {
            lines.add(Phrase.of("failing", List.of(each.task().name(), Long.toString(each.since().toEpochMilli()),
                    Long.toString(each.times()), each.reason(), each.next())));
        }
        lines.add("opened %d %d".formatted(opened.files(), opened.bytes()));
        if (whole.quotaBytes() > 0) {
            lines.add("whole %d %d %d %d %d %d %d %d %d".formatted(whole.copies(), whole.bytes(), whole.quotaBytes(),
                    whole.opens(), whole.openedBytes(), whole.made(), whole.refused(), whole.evicted(),
                    whole.damaged()));
        }
        for (var each : store) {
            lines.add("store %s %d %d %d %d %d %d".formatted(each.call(), each.took().count(), each.failed(),
                    each.took().p50(), each.took().p99(), each.took().max(), each.took().total()));
        }
        for (var row : operations) {
            lines.add("operation %s %d %d %d %d %d %d".formatted(row.operation(), row.count(), row.failed(), row.p50(),
                    row.p99(), row.max(), row.total()));
        }
        return lines;
    }

    static MountStats parse(List<String> lines) {
        long[] bytes = numbers(lines.get(0));
        long[] cache = numbers(lines.get(1));
        var directories = new ArrayList<DirectoryUsage>();
        var rows = new ArrayList<OperationStats.Row>();
        var damaged = new ArrayList<Path>();
        Optional<StagingStatus.Trouble> trouble = Optional.empty();
        Optional<Unshipped> unshipped = Optional.empty();
        var metadata = MetaEngine.Counts.NONE;
        var reclaimable = Strays.Waiting.NOTHING;
        var failing = new ArrayList<BackgroundTasks.Failing>();
        var opened = Opened.NOTHING;
        var whole = WholeFiles.Usage.NONE;
        var store = new ArrayList<Counted.Latency>();
        for (var line : lines.subList(4, lines.size())) {
            var words = line.split(" ", 2);
            switch (words[0]) {
                case "directory" -> directories.add(directory(line));
                case "damaged" -> damaged.add(Path.of(words[1]));
                case "unshipped" -> unshipped = Optional.of(unshipped(numbers(line)));
                case "metadata" -> metadata = new MetaEngine.Counts(numbers(line)[0], numbers(line)[1]);
                case "reclaimable" -> reclaimable = reclaimable(numbers(line));
                case "failing" -> failing.add(failing(line));
                case "opened" -> opened = new Opened(numbers(line)[0], numbers(line)[1]);
                case "whole" -> whole = whole(numbers(line));
                case "store" -> store.add(latency(words[1]));
                case "trouble" -> trouble = Optional.of(
                        new StagingStatus.Trouble(words[1].substring(2), words[1].startsWith("1")));
                default -> rows.add(operation(words[1]));
            }
        }
        long[] waiting = numbers(lines.get(2));
        long[] moved = numbers(lines.get(3));
        var staged = new StagingStatus((int) waiting[0], waiting[1], moment(waiting[2]), trouble, damaged);
        var usage = new CacheUsage(cache[0], cache[1], cache[2], cache[3], cache[4], cache[5], cache[6],
                cache.length > 7 ? cache[7] : 0, cache.length > 8 ? cache[8] : 0);
        return new MountStats(bytes[0], bytes[1], new Buffered(bytes[2], moment(bytes[4])),
                new Traffic(moved[0], moved[1], moved[2], moved[3], moved[4], moved[10]),
                new Repeats(moved[5], moved[6], moved[7]), new CompletedBlocks(moved[8], moved[9]), staged, unshipped,
                usage, directories, rows, bytes[3], metadata, new Background(reclaimable, failing), opened, store,
                whole);
    }

    private static WholeFiles.Usage whole(long[] n) {
        return new WholeFiles.Usage(n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7], n[8]);
    }

    private static Strays.Waiting reclaimable(long[] numbers) {
        return new Strays.Waiting(numbers[0], numbers[1], moment(numbers[2]), numbers[3] == 1, 0);
    }

    private static BackgroundTasks.Failing failing(String line) {
        var words = Phrase.parse(line).words();
        return new BackgroundTasks.Failing(BackgroundTasks.Task.valueOf(words.get(0)), Instant.ofEpochMilli(
                Long.parseLong(words.get(1))), Long.parseLong(words.get(2)), words.get(3), words.get(4));
    }

    private static Unshipped unshipped(long[] numbers) {
        return new Unshipped(numbers[0], numbers[1], moment(numbers[2]));
    }

    private static Optional<Instant> moment(long millis) {
        return millis == 0 ? Optional.empty() : Optional.of(Instant.ofEpochMilli(millis));
    }

    private static Counted.Latency latency(String words) {
        long[] row = numbers(words);
        return new Counted.Latency(words.substring(0, words.indexOf(' ')), row[1],
                new LatencyHistogram.Summary(row[0], row[2], row[3], row[4], row[5]));
    }

    private static OperationStats.Row operation(String words) {
        long[] row = numbers(words);
        return new OperationStats.Row(words.substring(0, words.indexOf(' ')), row[0], row[1], row[2], row[3], row[4],
                row[5]);
    }

    /** The path comes last: it may contain blanks. */
    private static DirectoryUsage directory(String line) {
        var words = line.split(" ", 13);
        long[] n = Stream.of(words).skip(1).limit(11).mapToLong(Long::parseLong).toArray();
        return new DirectoryUsage(Path.of(words[12]), n[0] == 1, n[1], n[2], n[3], n[4], n[5], n[6], n[7], n[8], n[9],
                n[10]);
    }

    /** The numbers after the first word. */
    private static long[] numbers(String line) {
        return Stream.of(line.split(" ")).skip(1).mapToLong(Long::parseLong).toArray();
    }
}
