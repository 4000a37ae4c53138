package volsh.command.console;

import java.util.concurrent.Callable;
import java.util.function.BooleanSupplier;

/**
 * Whether a person at the terminal attends to what the calling thread does. No one attends to a job in the background:
 * it must not ask, and takes neither the keys nor the screen.
 */
public final class Attendance {
    private static final ScopedValue<BooleanSupplier> CURRENT = ScopedValue.newInstance();

    private Attendance() {}

    /** Runs {@code work}, which is attended to as long as {@code attended} says so. */
    public static <R> R of(BooleanSupplier attended, Callable<R> work) throws Exception {
        return ScopedValue.where(CURRENT, attended).call(work::call);
    }

    public static boolean isThere() {
        return !CURRENT.isBound() || CURRENT.get().getAsBoolean();
    }
}
