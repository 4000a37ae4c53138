package volsh.script;

import groovy.lang.Closure;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import volsh.command.Cancellation;
import volsh.command.line.Stop;

/** Blocks to run at the end, the last first, after success, failure or cancellation. */
final class Deferred {
    private final Deque<Closure<?>> blocks = new ArrayDeque<>();

    void add(Closure<?> block) {
        blocks.push(block);
    }

    /**
     * Does all of it, even when some of it fails; stopping the script does not stop this. Failures after the first go
     * to {@code others}.
     *
     * @return the first failure, or null
     */
    @Nullable Throwable run(Consumer<Throwable> others) {
        Throwable first = null;
        boolean interrupted = Thread.interrupted();
        while (!blocks.isEmpty()) {
            Closure<?> block = blocks.pop();
            try {
                Stop.under(new Cancellation(), block::call);
            } catch (Throwable failure) {
                if (first == null) {
                    first = failure;
                } else {
                    others.accept(failure);
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return first;
    }
}
