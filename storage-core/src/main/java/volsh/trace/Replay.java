package volsh.trace;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;
import volsh.disk.LocalTrees;

/**
 * Replays the requests of a trace on a directory. A request that was answered before another arrived is replayed before
 * it; requests that overlapped may overlap again.
 */
public final class Replay {
    private static final int EXAMPLES = 10;

    private final Trace trace;
    private final Path root;
    private final double speed;
    private final boolean writes;

    /** {@code speed} is 1 for the recorded pace, infinite for as fast as possible; {@code writes}: replays changes. */
    public Replay(Trace trace, Path root, double speed, boolean writes) {
        this.trace = trace;
        this.root = root;
        this.speed = speed;
        this.writes = writes;
    }

    /** The results of the requests of one kind; times are means of those that were replayed. */
    public record Row(String operation, long asked, long done, Skipped skipped, long different, long bytes,
            Duration recorded, Duration replayed) {}

    /**
     * Skipped requests.
     *
     * @param changes  would change something
     * @param nameless are about files whose name is not in the trace
     * @param unasked  are not made by programs themselves
     */
    public record Skipped(long changes, long nameless, long unasked) {
        public long all() {
            return changes + nameless + unasked;
        }

        Skipped plus(Skipped more) {
            return new Skipped(changes + more.changes, nameless + more.nameless, unasked + more.unasked);
        }
    }

    /** The result of a replay, how long it took, and the first requests with another result. */
    public record Result(List<Row> rows, Duration took, List<Event> otherwise) {
        public long different() {
            return rows.stream().mapToLong(Row::different).sum();
        }

        public Skipped skipped() {
            return rows.stream().map(Row::skipped).reduce(new Skipped(0, 0, 0), Skipped::plus);
        }
    }

    /**
     * Files that are used but missing, with the length they need; {@link Needs#DIRECTORY} for directories. Files that
     * the trace creates itself do not count.
     */
    public Map<String, Long> missing() {
        var needed = Needs.of(trace);
        needed.entrySet().removeIf(each -> isThere(root.resolve(each.getKey()), each.getValue()));
        return needed;
    }

    private static boolean isThere(Path file, long length) {
        try {
            return length == Needs.DIRECTORY ? Files.isDirectory(file) : Files.size(file) >= length;
        } catch (IOException none) {
            return false;
        }
    }

    /** Creates them with random bytes. */
    public static void prepare(Path root, Map<String, Long> files, RandomGenerator random) throws IOException {
        byte[] some = new byte[1 << 20];
        random.nextBytes(some);
        for (var each : files.entrySet()) {
            var file = LocalTrees.below(root, each.getKey());
            Files.createDirectories(each.getValue() == Needs.DIRECTORY ? file : file.getParent());
            if (each.getValue() == Needs.DIRECTORY) {
                continue;
            }
            try (var out = Files.newOutputStream(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE,
                    StandardOpenOption.TRUNCATE_EXISTING, LinkOption.NOFOLLOW_LINKS)) {
                for (long left = each.getValue(); left > 0; left -= some.length) {
                    out.write(some, 0, (int) Math.min(left, some.length));
                }
            }
        }
    }

    /** Replays everything; {@code cancelled} is called now and then. */
    public Result run(BooleanSupplier cancelled) throws IOException, InterruptedException {
        if (!Files.isDirectory(root, LinkOption.NOFOLLOW_LINKS) && !Files.isDirectory(root)) {
            throw new IOException("cannot replay: %s is not a directory".formatted(root));
        }
        var progress = new Progress(trace.events());
        long began = System.nanoTime();
        try (var deeds = new Deeds(root,
                writes);
                var threads = Executors.newCachedThreadPool(Thread.ofPlatform().daemon().name("replay").factory())) {
            start(deeds, threads, progress, began, cancelled);
        }
        return new Result(progress.rows(), Duration.ofNanos(System.nanoTime() - began),
                List.copyOf(progress.otherwise));
    }

    private void start(Deeds deeds, ExecutorService threads, Progress progress, long began,
            BooleanSupplier cancelled) throws InterruptedException {
        for (int i = 0; i < trace.events().size() && !cancelled.getAsBoolean(); i++) {
            int number = i;
            var event = trace.events().get(i);
            await(began, (long) (event.asked().begin() / speed));
            if (progress.await(number)) {
                progress.done(number, event, deeds);   // no other request overlaps: no other thread is needed
            } else {
                threads.execute(() -> progress.done(number, event, deeds));
            }
        }
    }

    private static void await(long began, long due) {
        for (long left = began + due - System.nanoTime(); left > 0; left = began + due - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    /** Which requests are done, and their results. */
    private static final class Progress {
        private final int[] byEnd;         // numbers of events in the order of their ends
        private final int[] before;        // of each event: how many ended before it began
        private final boolean[] alone;     // of each event: whether it ended before the next one began
        private final boolean[] finished;
        private final Map<String, Sum> sums = new TreeMap<>();
        private final List<Event> otherwise = new ArrayList<>();
        private int through;

        Progress(List<Event> events) {
            var order = new ArrayList<Integer>();
            for (int i = 0; i < events.size(); i++) {
                order.add(i);
            }
            order.sort(Comparator.comparingLong(i -> events.get(i).asked().end()));
            byEnd = order.stream().mapToInt(Integer::intValue).toArray();
            before = new int[events.size()];
            alone = new boolean[events.size()];
            finished = new boolean[events.size()];
            int ended = 0;
            for (int i = 0; i < before.length; i++) {
                long begin = events.get(i).asked().begin();
                while (ended < byEnd.length && events.get(byEnd[ended]).asked().end() <= begin) {
                    ended++;
                }
                before[i] = ended;
                alone[i] = i + 1 == before.length || events.get(i).asked().end() <= events.get(i + 1).asked().begin();
            }
        }

        /**
         * Waits until everything that was answered before this request arrived is done. True if the next one has to
         * wait for this one anyway.
         */
        synchronized boolean await(int number) throws InterruptedException {
            while (through < before[number]) {
                wait();
            }
            return alone[number];
        }

        void done(int number, Event event, Deeds deeds) {
            long began = System.nanoTime();
            var outcome = deeds.perform(event);
            long took = System.nanoTime() - began;
            synchronized (this) {
                finished[number] = true;
                while (through < byEnd.length && finished[byEnd[through]]) {
                    through++;
                }
                notifyAll();
                if (outcome == Deeds.Outcome.DIFFERENT && otherwise.size() < EXAMPLES) {
                    otherwise.add(event);
                }
                sums.computeIfAbsent(event.operation(), _ -> new Sum()).add(event, outcome, took);
            }
        }

        synchronized List<Row> rows() {
            return sums.entrySet().stream().map(each -> each.getValue().row(each.getKey())).toList();
        }
    }

    /** Sums of the requests of one kind. */
    private static final class Sum {
        private final Map<Deeds.Outcome, Long> outcomes = new EnumMap<>(Deeds.Outcome.class);
        private long recordedNanos;
        private long replayedNanos;
        private long bytes;

        void add(Event event, Deeds.Outcome outcome, long took) {
            outcomes.merge(outcome, 1L, Long::sum);
            if (!outcome.isSkipped()) {
                recordedNanos += event.asked().took();
                replayedNanos += took;
                bytes += event.isRead() || event.isWrite() ? event.asked().result() : 0;
            }
        }

        private long count(Deeds.Outcome outcome) {
            return outcomes.getOrDefault(outcome, 0L);
        }

        Row row(String operation) {
            long done = count(Deeds.Outcome.SAME) + count(Deeds.Outcome.DIFFERENT);
            var skipped = new Skipped(count(Deeds.Outcome.CHANGES), count(Deeds.Outcome.NAMELESS),
                    count(Deeds.Outcome.UNASKED));
            return new Row(operation, done + skipped.all(), done, skipped, count(Deeds.Outcome.DIFFERENT), bytes,
                    Duration.ofNanos(recordedNanos / Math.max(1, done)),
                    Duration.ofNanos(replayedNanos / Math.max(1, done)));
        }
    }
}
