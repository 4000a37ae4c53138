package volsh.script;

import groovy.lang.Closure;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import volsh.command.Cancellation;
import volsh.command.directory.WorkingDirectory;
import volsh.command.failure.CancelledException;
import volsh.command.line.Stop;

/** The result of {@code each}: the values of the successful items, in order, and the failures of the others. */
public final class Batch extends AbstractList<Object> {
    private final List<Object> values = new ArrayList<>();
    private final List<Failure> failures = new ArrayList<>();
    private volatile boolean read;
    private StackTraceElement[] struck = new StackTraceElement[0];

    private Batch() {}

    /** An item that failed. */
    public static final class Failure {
        private final Object item;
        private final Throwable failure;

        Failure(Object item, Throwable failure) {
            this.item = item;
            this.failure = failure;
        }

        public Object getItem() {
            return item;
        }

        public Throwable getFailure() {
            return failure;
        }
    }

    /**
     * Runs {@code body} for each item, several at a time.
     *
     * @param collect continue after a failure; otherwise the first failure stops the others and is thrown
     */
    static Batch run(Collection<?> items, int parallel, boolean collect, Closure<?> body, Cancellation cancellation,
            Runnable afterEach) throws Throwable {
        var batch = new Batch();
        var stop = new Cancellation();
        try (var _ = cancellation.onRequest(stop::request);
                var pool = Executors.newFixedThreadPool(parallel, Thread.ofPlatform().name("each-", 0).factory())) {
            var running = new ArrayList<Future<Object>>();
            for (Object item : items) {
                running.add(pool.submit(WorkingDirectory.carried(
                        () -> Stop.under(stop, () -> one(body, item, collect, stop, afterEach)))));
            }
            batch.gather(new ArrayList<>(items), running, stop);
        }
        if (cancellation.requested()) {
            throw batch.stopped();
        }
        if (!collect && !batch.failures.isEmpty()) {
            throw batch.failures.getFirst().failure;
        }
        return batch;
    }

    /** Stops the others before this thread can take the next item. */
    private static Object one(Closure<?> body, Object item, boolean collect, Cancellation stop, Runnable afterEach) {
        stop.check();
        boolean done = false;
        try {
            Object value = ((Closure<?>) body.clone()).call(item);
            afterEach.run();
            done = true;
            return value;
        } finally {
            if (!done && !collect) {
                stop.request();
            }
        }
    }

    private void gather(List<?> items, List<Future<Object>> running, Cancellation stop)
            throws InterruptedException {
        for (int i = 0; i < running.size(); i++) {
            try {
                values.add(running.get(i).get());
            } catch (ExecutionException failed) {
                var cause = Objects.requireNonNullElse(failed.getCause(), failed);
                boolean echo = stop.requested() && Explanation.wish(cause);
                if (echo) {
                    struck = struck.length == 0 ? cause.getStackTrace() : struck;
                } else {
                    failures.add(new Failure(items.get(i), cause));
                }
            } catch (InterruptedException stopped) {
                stop.request();
                throw stopped;
            }
        }
    }

    /** From the line of the first item that was stopped to the line of {@code each} and those around it. */
    private CancelledException stopped() {
        var stopped = new CancelledException();
        stopped.setStackTrace(Stream.concat(Arrays.stream(struck), Arrays.stream(stopped.getStackTrace()))
                .toArray(StackTraceElement[]::new));
        return stopped;
    }

    public List<Failure> getFailures() {
        read = true;
        return failures;
    }

    /** The failures, if the script has not read them. */
    List<Failure> unread() {
        return read ? List.of() : failures;
    }

    @Override
    public Object get(int index) {
        return values.get(index);
    }

    @Override
    public int size() {
        return values.size();
    }
}
