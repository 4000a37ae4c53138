package volsh.prompt;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jline.terminal.Terminal;
import org.jline.terminal.Terminal.Signal;
import org.jline.terminal.Terminal.SignalHandler;
import volsh.command.failure.ExitCode;
import volsh.command.line.Job;
import volsh.command.line.Jobs;

/**
 * Runs one foreground entry at a time, on a thread of its own, while this one handles the keyboard's signals. Ctrl-C
 * asks the entry to stop; if it has not stopped within three seconds, or a moment after a second Ctrl-C, it is left to
 * end
 * in the background. Ctrl-Z moves it to the background. So no entry can block the prompt.
 */
final class Foreground {
    private static final Duration LOOK = Duration.ofMillis(50);
    private static final Duration PATIENCE = Duration.ofSeconds(3);
    private static final Duration MOMENT = Duration.ofMillis(300);

    private final Terminal terminal;
    private final Screen screen;
    private final Jobs jobs;
    /** The current action of Ctrl-Z. */
    private volatile SignalHandler suspend = SignalHandler.SIG_DFL;

    Foreground(Terminal terminal, Screen screen, Jobs jobs) {
        this.terminal = terminal;
        this.screen = screen;
        this.jobs = jobs;
        terminal.handle(Signal.INT, _ -> { });   // between two entries Ctrl-C does nothing
        // A pager stops itself on Ctrl-Z; then volsh stops with it, and the parent shell continues.
        screen.onLending(lent -> terminal.handle(Signal.TSTP, lent ? SignalHandler.SIG_DFL : suspend));
    }

    /**
     * Runs {@code work} until it ends or is left. {@code movable}: Ctrl-Z puts it into the background.
     * @return its status
     */
    int run(String line, boolean movable, Function<Job, Callable<Integer>> work) throws Exception {
        return listening(movable, () -> jobs.foreground(line, started -> {
            attach(started);
            return work.apply(started);
        }));
    }

    /** Brings a job to the front, and waits for it as if it had begun there. */
    int bring(Job job) throws Exception {
        return listening(true, () -> {
            screen.tell(job.line());
            attach(job);
            return job;
        });
    }

    private void attach(Job job) {
        try {
            job.toForeground(screen.data(), screen.messages());
        } catch (IOException terminalIsGone) {
            // it continues; the next read fails
        }
    }

    /** The keys count from before it begins. */
    private int listening(boolean movable, Supplier<Job> begin) throws Exception {
        var interrupts = new AtomicInteger();
        var suspends = new AtomicInteger();
        SignalHandler before = terminal.handle(Signal.INT, _ -> interrupts.incrementAndGet());
        onSuspend(movable ? _ -> suspends.incrementAndGet() : SignalHandler.SIG_DFL);
        try {
            return await(begin.get(), interrupts, suspends);
        } finally {
            terminal.handle(Signal.INT, before);
            onSuspend(SignalHandler.SIG_DFL);
        }
    }

    private int await(Job job, AtomicInteger interrupts, AtomicInteger suspends) throws Exception {
        int heard = 0;
        Instant limit = Instant.MAX;
        try {
            while (!job.await(LOOK)) {
                if (interrupts.get() > heard) {
                    heard = interrupts.get();
                    limit = Instant.now().plus(job.stopping() ? MOMENT : PATIENCE);
                    terminal.writer().println();   // after the ^C that the terminal shows
                    terminal.flush();
                    job.stop();
                }
                if (suspends.get() > 0 || Instant.now().isAfter(limit)) {
                    return leave(job);
                }
            }
        } catch (InterruptedException ending) {
            job.stop();
            throw ending;
        }
        jobs.ended(job);
        if (job.wish().isPresent()) {
            throw job.wish().get();
        }
        return job.status();
    }

    private void onSuspend(SignalHandler handler) {
        suspend = handler;
        terminal.handle(Signal.TSTP, handler);
    }

    private int leave(Job job) throws IOException {
        job.toBackground();
        jobs.adopt(job);
        return job.stopping() ? ExitCode.CANCELLED.status() : 0;
    }
}
