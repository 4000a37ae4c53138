package volsh.command.run;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.UnaryOperator;
import volsh.command.failure.CancelledException;
import volsh.command.failure.Diagnosis;
import volsh.command.failure.Problem;

/**
 * What a program did, for its report: steps, commands and messages in the order in which they began. When there are too
 * many, the first are kept, and of the others those that failed, warnings and errors. Thread-safe.
 */
public final class RunRecord {
    static final int MOST_ITEMS = 10_000;
    static final int MOST_TROUBLES = 1_000;
    /** Threads that a step starts work for that step. */
    private static final InheritableThreadLocal<Integer> DEPTH = new InheritableThreadLocal<>() {
        @Override
        protected Integer initialValue() {
            return 0;
        }
    };

    private final InstantSource clock;
    private final UnaryOperator<String> redaction;
    private final List<Item> items = new ArrayList<>();
    private long left;

    /** {@code redaction} takes secrets out of every text. */
    public RunRecord(InstantSource clock, UnaryOperator<String> redaction) {
        this.clock = clock;
        this.redaction = redaction;
    }

    public enum Kind { STEP, COMMAND, SYSTEM, LOG, WARNING, ERROR }

    /** Something that begins and ends. Close it. */
    public final class Item implements AutoCloseable {
        private final Kind kind;
        private final String text;
        private final Instant start;
        private final int depth;
        private Duration took;
        private int status;
        private String failure = "";
        private boolean kept;

        private Item(Kind kind, String text, int depth) {
            this.kind = kind;
            this.text = redaction.apply(text);
            this.start = clock.instant();
            this.depth = depth;
        }

        /** It ended with this exit code. */
        public void ended(int code) {
            synchronized (RunRecord.this) {
                status = code;
                if (code != 0) {
                    keepTrouble(this);
                }
            }
        }

        public void failed(Throwable thrown) {
            Problem problem = Diagnosis.of(thrown);
            failed(problem.status(), thrown instanceof CancelledException ? "stopped" : problem.message());
        }

        public void failed(int code, String message) {
            synchronized (RunRecord.this) {
                status = code;
                failure = redaction.apply(message);
                keepTrouble(this);
            }
        }

        @Override
        public void close() {
            synchronized (RunRecord.this) {
                took = Duration.between(start, clock.instant());
            }
            if (kind == Kind.STEP) {
                DEPTH.set(depth);
            }
        }
    }

    /** An item as it is told. {@code depth}: how many steps are around it. */
    public record Done(Kind kind, String text, Instant start, Duration took, int depth, int status, String failure) {}

    public Item begin(Kind kind, String text) {
        var item = new Item(kind, text, DEPTH.get());
        if (kind == Kind.STEP) {
            DEPTH.set(item.depth + 1);
        }
        synchronized (this) {
            item.kept = items.size() < MOST_ITEMS;
            if (item.kept) {
                items.add(item);
            } else {
                left++;
            }
            if (kind == Kind.WARNING || kind == Kind.ERROR) {
                keepTrouble(item);
            }
        }
        return item;
    }

    /** What went wrong is in the report also when it came late. */
    private void keepTrouble(Item item) {
        if (!item.kept && items.size() < MOST_ITEMS + MOST_TROUBLES) {
            item.kept = true;
            items.add(item);
            left--;
        }
    }

    /** A message. */
    public void say(Kind kind, String text) {
        begin(kind, text).close();
    }

    /** All of it. What has not ended, ends now. */
    public synchronized List<Done> items() {
        Instant now = clock.instant();
        return items.stream().sorted(Comparator.comparing(item -> item.start)).map(item -> new Done(item.kind, item.text, item.start,
                item.took == null ? Duration.between(item.start, now) : item.took, item.depth, item.status,
                item.failure)).toList();
    }

    /** How many items were too many to keep. */
    public synchronized long left() {
        return left;
    }

    String redacted(String text) {
        return redaction.apply(text);
    }
}
