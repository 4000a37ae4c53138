package volsh.command.line;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import volsh.command.Cancellation;
import volsh.command.Host;
import volsh.command.console.Attendance;
import volsh.command.console.Terminal;
import volsh.command.directory.WorkingDirectory;
import volsh.command.failure.ExitCode;
import volsh.unit.Span;

/**
 * A line that runs on a thread of its own, with its own output and its own cancellation. It starts in the foreground or
 * in the background and may change between them while it runs. Thread-safe.
 */
public final class Job {
    private static final long POLITE_MILLIS = 1_000;

    private final String line;
    private final WorkingDirectory directory;
    private final Cancellation stop = new Cancellation();
    private final CountDownLatch ended = new CountDownLatch(1);
    private final Voice out;
    private final Voice err;
    private final long start = System.nanoTime();
    private volatile int number;
    private volatile int status;
    private volatile long end;
    private volatile @Nullable Exit wish;
    private volatile boolean paid;
    private volatile boolean foreground;
    private @Nullable Thread thread;
    private Runnable atEnd = () -> { };
    private volatile boolean over;

    Job(String line, Outlet outlet, WorkingDirectory directory) {
        this.line = line;
        this.directory = directory;
        this.out = new Voice(outlet, false);
        this.err = new Voice(outlet, true);
    }

    /** Starts the job. {@code work} reports its failures itself and returns the exit code. */
    synchronized Job start(Callable<Integer> work) {
        thread = Thread.ofPlatform().daemon().name("job").start(() -> run(work));
        return this;
    }

    private void run(Callable<Integer> work) {
        try {
            status = Attendance.of(() -> foreground, () -> directory.during(() -> Stop.under(stop, work)));
        } catch (Exit asked) {
            wish = asked;
            status = asked.status();
        } catch (Throwable untold) {
            status = ExitCode.FAILED.status();
        } finally {
            end = System.nanoTime();
            out.end();
            err.end();
            end();
        }
    }

    /** Reports the end before waiting threads continue. */
    private void end() {
        Runnable last;
        synchronized (this) {
            last = atEnd;
            over = true;
        }
        try {
            last.run();
        } finally {
            ended.countDown();
        }
    }

    /** Moves the job to the background; runs {@code told} at its end, at once if it has ended. */
    void background(Runnable told) {
        boolean late;
        synchronized (this) {
            late = over;
            atEnd = told;
        }
        if (late) {
            told.run();
        }
    }

    /** The host of a job that starts in the background: it writes to the job's streams and cannot ask. */
    Host backgroundHost(Host host) {
        Terminal terminal = host.terminal();
        return new Host(InputStream.nullInputStream(), out, err, host.environment(), host.clock(), host.zone(),
                new Terminal(false, terminal.output(), terminal.error(), terminal.size()), host.services());
    }

    /** The host of a job that starts in the foreground: it can ask. */
    public Host foregroundHost(Host host) {
        return new Host(host.in(), out, err, host.environment(), host.clock(), host.zone(), host.terminal(),
                host.services());
    }

    /** Moves the job to the foreground: it writes to these streams, and its end is not reported. */
    public void toForeground(OutputStream data, OutputStream messages) throws IOException {
        synchronized (this) {
            atEnd = () -> { };
        }
        foreground = true;
        out.goTo(data);
        err.goTo(messages);
    }

    /** It hands over whole lines. */
    public void toBackground() throws IOException {
        foreground = false;
        out.goTo(null);
        err.goTo(null);
    }

    /** Asks the job to stop; interrupts it after a second, and at once on the second request. */
    public void stop() {
        if (stop.requested()) {
            interrupt();
            return;
        }
        stop.request();
        Thread.ofVirtual().name("impatience").start(() -> {
            try {
                if (!ended.await(POLITE_MILLIS, TimeUnit.MILLISECONDS)) {
                    interrupt();
                }
            } catch (InterruptedException never) {
                Thread.currentThread().interrupt();
            }
        });
    }

    private synchronized void interrupt() {
        if (running()) {
            Objects.requireNonNull(thread).interrupt();   // it has started
        }
    }

    /** Waits this long for the end. @return whether the job ended */
    public boolean await(Duration patience) throws InterruptedException {
        return ended.await(patience.toMillis(), TimeUnit.MILLISECONDS);
    }

    public boolean running() {
        return !over;
    }

    public boolean stopping() {
        return running() && stop.requested();
    }

    /** Its own: what it changes concerns others only when it ends in the foreground. */
    WorkingDirectory directory() {
        return directory;
    }

    public Cancellation cancellation() {
        return stop;
    }

    /** The job number; 0 while it has none. */
    public int number() {
        return number;
    }

    void number(int given) {
        number = given;
    }

    public String line() {
        return line;
    }

    /** The exit code; 0 while the job runs. */
    public int status() {
        return status;
    }

    /** Whether the job failed and the failure was not waited for. */
    boolean owes() {
        return !running() && status != 0 && !paid;
    }

    void paid() {
        paid = true;
    }

    /** Whether the line requested the end of the program. */
    public Optional<Exit> wish() {
        return Optional.ofNullable(wish);
    }

    public Duration took() {
        return Duration.ofNanos((running() ? System.nanoTime() : end) - start);
    }

    /** As the table of jobs shows it. */
    public Row row() {
        String state = stopping() ? "stopping" : running() ? "running" : status == 0 ? "done" : "failed";
        var seconds = new Span(Duration.ofMillis(took().toMillis()));
        return new Row(number, state, running() ? null : status, seconds, line,
                running() ? err.unfinished().strip() : "");
    }

    /** A line of the table of jobs; {@code exit} is null while it runs. */
    public record Row(int job, String state, @Nullable Integer exit, Span took, String line, String progress) {}
}
