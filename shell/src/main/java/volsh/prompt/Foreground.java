package volsh.prompt;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jline.terminal.Terminal;
import org.jline.terminal.Terminal.Signal;
import volsh.command.line.Job;
import volsh.command.line.Jobs;

/**
 * Runs one thing at a time for the person, on a thread of its own, while this one listens to the keyboard's signals:
 * Ctrl-C asks it to stop, again interrupts it, a third time leaves it behind; Ctrl-Z lets it go on in the background. So
 * nothing that runs can take the prompt with it.
 */
final class Foreground {
    private static final Duration LOOK = Duration.ofMillis(50);
    private static final int PATIENT = 2;

    private final Terminal terminal;
    private final Screen screen;
    private final Jobs jobs;

    Foreground(Terminal terminal, Screen screen, Jobs jobs) {
        this.terminal = terminal;
        this.screen = screen;
        this.jobs = jobs;
        terminal.handle(Signal.INT, _ -> { });   // between two entries Ctrl-C has nothing to stop, least of all us
    }

    /** Runs {@code work} until it ends or is left. {@code movable}: Ctrl-Z puts it into the background. @return its status */
    int run(String line, boolean movable, Function<Job, Callable<Integer>> work) throws Exception {
        Job job = jobs.foreground(line, started -> {
            attach(started);
            return work.apply(started);
        });
        return await(job, movable);
    }

    /** Brings a job to the front, and waits for it as if it had begun there. */
    int bring(Job job) throws Exception {
        screen.tell(job.line());
        attach(job);
        return await(job, true);
    }

    private void attach(Job job) {
        try {
            job.toForeground(screen.data(), screen.messages());
        } catch (IOException terminalIsGone) {
            // It goes on; who reads next will notice.
        }
    }

    private int await(Job job, boolean movable) throws Exception {
        var asked = new AtomicInteger();
        var moved = new AtomicInteger();
        var interrupt = terminal.handle(Signal.INT, _ -> {
            job.stop();
            moved.addAndGet(asked.incrementAndGet() > PATIENT ? 1 : 0);
        });
        var suspend = movable ? terminal.handle(Signal.TSTP, _ -> moved.incrementAndGet()) : null;
        try {
            while (!job.await(LOOK)) {
                if (moved.get() > 0) {
                    return leave(job);
                }
            }
        } catch (InterruptedException ending) {
            job.stop();
            throw ending;
        } finally {
            terminal.handle(Signal.INT, interrupt);
            if (suspend != null) {
                terminal.handle(Signal.TSTP, suspend);
            }
        }
        if (job.wish().isPresent()) {
            throw job.wish().get();
        }
        return job.status();
    }

    private int leave(Job job) throws IOException {
        job.toBackground();
        jobs.adopt(job);
        return 0;
    }
}
