package volsh.command.directory;

import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import volsh.catalog.VolumePath;

/**
 * Where the lines of a session stand: in a directory of a volume, or nowhere. A line that runs on its own works on a
 * {@linkplain #copy() copy}, so that a line in the background stays where it began. Thread-safe.
 */
public final class WorkingDirectory {
    private static final ScopedValue<WorkingDirectory> CURRENT = ScopedValue.newInstance();

    private @Nullable VolumePath now;
    private @Nullable VolumePath before;

    /** Runs {@code work} so that this is its working directory. */
    public <R> R during(Callable<R> work) throws Exception {
        return ScopedValue.where(CURRENT, this).call(work::call);
    }

    /** The same work for another thread, with the working directory of this one. */
    public static <R> Callable<R> carried(Callable<R> work) {
        if (!CURRENT.isBound()) {
            return work;
        }
        WorkingDirectory here = CURRENT.get();
        return () -> here.during(work);
    }

    /** That of the calling thread, or this. */
    public WorkingDirectory current() {
        return CURRENT.isBound() ? CURRENT.get() : this;
    }

    public synchronized Optional<VolumePath> path() {
        return Optional.ofNullable(now);
    }

    /** The directory before the last change; empty if that was nowhere. */
    synchronized Optional<VolumePath> previous() {
        return Optional.ofNullable(before);
    }

    synchronized void change(Optional<VolumePath> directory) {
        before = now;
        now = directory.orElse(null);
    }

    /** One that begins here, and changes by itself. */
    public synchronized WorkingDirectory copy() {
        var copy = new WorkingDirectory();
        copy.now = now;
        copy.before = before;
        return copy;
    }

    /** Goes where the other one is. */
    public void follow(WorkingDirectory other) {
        WorkingDirectory there = other.copy();
        synchronized (this) {
            now = there.now;
            before = there.before;
        }
    }
}
