package volsh.prompt;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jline.terminal.Terminal;
import org.jline.terminal.Terminal.Signal;
import volsh.command.failure.ExitCode;
import volsh.command.line.Job;
import volsh.command.line.Jobs;

/**
 * Runs one thing at a time for the person, on a thread of its own, while this one listens to the keyboard's signals:
 * Ctrl-C asks it to stop, and what has not within three seconds, or a moment after a second Ctrl-C, is left behind to end in
 * the background; Ctrl-Z lets it go on there. So nothing that runs can take the prompt with it.
 */
final class Foreground {
    private static final Duration LOOK = Duration.ofMillis(50);
    private static final Duration PATIENCE = Duration.ofSeconds(3);
    private static final Duration MOMENT = Duration.ofMillis(300);

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
        var left = new AtomicReference<Instant>();   // when it is left behind, once that is decided
        var interrupt = terminal.handle(Signal.INT, _ -> {
            boolean again = job.stopping();
            job.stop();
            left.set(Instant.now().plus(again ? MOMENT : PATIENCE));
        });
        var suspend = movable ? terminal.handle(Signal.TSTP, _ -> left.set(Instant.now())) : null;
        try {
            while (!job.await(LOOK)) {
                if (left.get() != null && Instant.now().isAfter(left.get())) {
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
        return job.stopping() ? ExitCode.CANCELLED.status() : 0;
    }
}
