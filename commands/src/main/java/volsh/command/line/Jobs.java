package volsh.command.line;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import volsh.command.Cancellation;
import volsh.command.directory.WorkingDirectory;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;

/** The lines that run in the background of a program, and the last ones that did. Thread-safe. */
public final class Jobs implements AutoCloseable {
    private static final int REMEMBERED = 50;
    private static final Duration LOOK = Duration.ofMillis(50);
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final Outlet outlet;
    private final WorkingDirectory directory;
    private final TreeMap<Integer, Job> jobs = new TreeMap<>();
    private int last;

    /** {@code directory}: the working directory that jobs begin in. */
    public Jobs(Outlet outlet, WorkingDirectory directory) {
        this.outlet = outlet;
        this.directory = directory;
    }

    WorkingDirectory directory() {
        return directory;
    }

    /** Starts a line in the foreground; it can become a job later. */
    public Job foreground(String line, Function<Job, Callable<Integer>> work) {
        var job = new Job(line, outlet, directory.copy());
        return job.start(work.apply(job));
    }

    /** Begins a line in the background. */
    Job background(String line, Function<Job, Callable<Integer>> work) {
        var job = new Job(line, outlet, directory.current().copy());
        number(job);
        outlet.tell("[%d] %s".formatted(job.number(), line));
        return watched(job.start(work.apply(job)));
    }

    /** Goes where a line of the foreground has ended. */
    public void ended(Job job) {
        directory.follow(job.directory());
    }

    /** Moves a line that started in the foreground to the background. */
    public void adopt(Job job) {
        if (job.number() == 0) {
            number(job);
        }
        outlet.tell("[%d] %s%s".formatted(job.number(), job.stopping() ? "stopping  " : "", job.line()));
        watched(job);
    }

    private synchronized void number(Job job) {
        job.number(++last);
        jobs.put(last, job);
        List<Job> over = jobs.values().stream().filter(each -> !each.running() && !each.owes()).toList();
        over.subList(0, Math.max(0, over.size() - REMEMBERED)).forEach(each -> jobs.remove(each.number()));
    }

    /** Reports the end, unless the job ended in the foreground. */
    private Job watched(Job job) {
        job.background(() -> outlet.tell(job.status() == 0 ? "[%d] done  %s".formatted(job.number(), job.line())
                : "[%d] failed exit %d  %s".formatted(job.number(), job.status(), job.line())));
        return job;
    }

    public synchronized List<Job> all() {
        return List.copyOf(jobs.values());
    }

    public List<Job> running() {
        return all().stream().filter(Job::running).toList();
    }

    /** The jobs that these words name ({@code 2} or {@code %2}). */
    public List<Job> named(List<String> words) {
        var named = new ArrayList<Job>();
        for (String word : words) {
            named.add(named(word));
        }
        return named;
    }

    private Job named(String word) {
        String digits = word.startsWith("%") ? word.substring(1) : word;
        Job job = digits.matches("[0-9]{1,6}") ? at(Integer.parseInt(digits)) : null;
        if (job == null) {
            throw CommandFailure.of(ExitCode.NOT_FOUND, "CLI-0031", "no such job: '" + word + "'").hint("jobs");
        }
        return job;
    }

    private synchronized @Nullable Job at(int number) {
        return jobs.get(number);
    }

    /** The one that began last and still runs. */
    public Job latest() {
        List<Job> running = running();
        if (running.isEmpty()) {
            throw CommandFailure.of(ExitCode.NOT_FOUND, "CLI-0031", "no job is running");
        }
        return running.getLast();
    }

    /** Waits for the end of these. @return 0, or the status of the first that failed */
    public static int await(List<Job> awaited, Cancellation stop) throws InterruptedException {
        int first = 0;
        for (Job job : awaited) {
            while (!job.await(LOOK)) {
                stop.check();
            }
            job.paid();
            first = first == 0 ? job.status() : first;
        }
        return first;
    }

    /** Waits for all jobs that were not waited for. @return 0, or the status of the first that failed */
    int awaitAll(Cancellation stop) throws InterruptedException {
        return await(all().stream().filter(job -> job.running() || job.owes()).toList(), stop);
    }

    /** Stops the running jobs and waits for them. @return whether all ended */
    public boolean stop() {
        List<Job> running = running();
        running.forEach(Job::stop);
        long limit = System.nanoTime() + PATIENCE.toNanos();
        boolean hurried = false;
        for (Job job : running) {
            hurried |= cleansUp(job, limit);
        }
        if (hurried) {
            Thread.currentThread().interrupt();
        }
        return running.stream().noneMatch(Job::running);
    }

    /** Waits despite an interrupt, which requests the end, so that jobs can clean up. @return whether one arrived */
    private static boolean cleansUp(Job job, long limit) {
        boolean interrupted = false;
        while (System.nanoTime() < limit) {
            try {
                if (job.await(Duration.ofNanos(Math.max(1, limit - System.nanoTime())))) {
                    break;
                }
            } catch (InterruptedException told) {
                interrupted = true;
            }
        }
        return interrupted;
    }

    @Override
    public void close() {
        stop();
    }
}
