package volsh.volume;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * The parts of something that is being opened, in the order in which they were opened. They close in reverse order,
 * each exactly once, whatever fails: the first failure is thrown, and it carries the later ones as suppressed.
 * Thread-safe.
 */
final class ClosingStack implements AutoCloseable {
    private final Watcher watcher;
    private final Deque<Step> steps = new ArrayDeque<>();

    ClosingStack(Watcher watcher) {
        this.watcher = watcher;
    }

    interface Opener<T> {
        T open() throws IOException;
    }

    interface Closer<T> {
        void close(T part) throws IOException;
    }

    interface Work {
        void run() throws IOException;
    }

    /** Sees every step, so that a test can make any of them fail. */
    interface Watcher {
        Watcher NONE = new Watcher() {};

        default void opening(String part) throws IOException {}

        /** A part is about to be closed; it is not if this throws. */
        default void closing(String part) throws IOException {}

        default void closed(String part) throws IOException {}
    }

    /** One step of closing; unless it is {@code required}, a failure before it leaves it out. */
    private record Step(String part, boolean required, Work work) {}

    /** Opens a part on top of those that are open. */
    <T> T open(String part, Opener<T> opener, Closer<? super T> closer) throws IOException {
        watcher.opening(part);
        T opened = opener.open();
        push(new Step(part, true, () -> closer.close(opened)));
        return opened;
    }

    /** Opens a part that takes over the topmost one, and closes it itself. */
    synchronized <T> T openAround(String part, Opener<T> opener, Closer<? super T> closer) throws IOException {
        watcher.opening(part);
        T opened = opener.open();
        steps.pop();
        steps.push(new Step(part, true, () -> closer.close(opened)));
        return opened;
    }

    /** Does a step of opening after which there is nothing to close. */
    <T> T ask(String step, Opener<T> opener) throws IOException {
        watcher.opening(step);
        return opener.open();
    }

    /** The same without a result. */
    void run(String step, Work work) throws IOException {
        watcher.opening(step);
        work.run();
    }

    /** Stops something before the parts below it close. */
    void onClose(String part, Work work) {
        push(new Step(part, true, work));
    }

    /** Does some last work before the parts below it close, unless a step before it failed. */
    void onOrderlyClose(String part, Work work) {
        push(new Step(part, false, work));
    }

    private synchronized void push(Step step) {
        steps.push(step);
    }

    private synchronized @Nullable Step next() {
        return steps.poll();
    }

    /** Closes all parts because of this failure, which carries those of closing. */
    void closeAfter(Throwable failed) {
        closeAll(failed);
    }

    @Override
    public void close() throws IOException {
        switch (closeAll(null)) {
            case null -> { }
            case IOException failed -> throw failed;
            case RuntimeException failed -> throw failed;
            case Error failed -> throw failed;
            case Throwable failed -> throw new IOException(failed);
        }
    }

    private @Nullable Throwable closeAll(@Nullable Throwable before) {
        var first = before;
        for (var step = next(); step != null; step = next()) {
            if (first == null || step.required()) {
                first = firstOf(first, close(step));
            }
        }
        return first;
    }

    private @Nullable Throwable close(Step step) {
        try {
            watcher.closing(step.part());
            step.work().run();
            watcher.closed(step.part());
            return null;
        } catch (Throwable failed) {   // also an Error: the parts below must close
            return failed;
        }
    }

    private static @Nullable Throwable firstOf(@Nullable Throwable first, @Nullable Throwable second) {
        if (first == null || second == null || first == second) {
            return first == null ? second : first;
        }
        first.addSuppressed(second);
        return first;
    }
}
