package volsh.script;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Objects;
import volsh.command.Cancellation;
import volsh.command.line.Job;
import volsh.command.line.Stop;
import volsh.command.render.Row;
import volsh.job.Jobs;
import volsh.unit.Span;

/**
 * A job in code that can be stopped and waited for: a line of this session in the background, or a process of its own.
 */
public final class ScriptJob extends Row {
    private static final Duration LOOK = Duration.ofMillis(100);

    private final Handle handle;

    /** What can be done with it. */
    private interface Handle {
        void kill() throws IOException;

        int join() throws IOException, InterruptedException;
    }

    private ScriptJob(Row row, Handle handle) {
        super(row);
        this.handle = handle;
    }

    /** Those of the session, then those of the home ({@code job list}). */
    static List<ScriptJob> all(volsh.command.line.Jobs session, Jobs home) throws IOException {
        var all = new ArrayList<ScriptJob>();
        for (Job job : session.all()) {
            all.add(new ScriptJob((Row) Objects.requireNonNull(Row.value(job.row())), of(job)));
        }
        for (volsh.job.Job job : home.list()) {
            all.add(new ScriptJob(row(job), of(job.id(), home)));
        }
        return all;
    }

    private static Row row(volsh.job.Job job) {
        var values = new LinkedHashMap<String, Object>();
        values.put("job", job.id());
        values.put("state", job.state().toString());
        values.put("exit", job.exit().isPresent() ? job.exit().getAsInt() : null);
        values.put("took", new Span(Duration.ofMillis(
                Math.max(0, Duration.between(job.started(), job.ended().orElseGet(Instant::now)).toMillis()))));
        values.put("line", String.join(" ", job.command()));
        values.put("progress", "");
        return Row.of(values);
    }

    private static Handle of(Job job) {
        return new Handle() {
            @Override
            public void kill() {
                job.stop();
            }

            @Override
            public int join() throws InterruptedException {
                return volsh.command.line.Jobs.await(List.of(job), Stop.current(new Cancellation()));
            }
        };
    }

    private static Handle of(String id, Jobs home) {
        return new Handle() {
            @Override
            public void kill() throws IOException {
                home.cancel(id, false);
            }

            @Override
            public int join() throws IOException, InterruptedException {
                while (home.find(id).state().isOpen()) {
                    Stop.current(new Cancellation()).check();
                    Thread.sleep(LOOK);
                }
                return home.find(id).exit().orElse(1);
            }
        };
    }

    /** Asks it to stop. */
    public void kill() throws IOException {
        handle.kill();
    }

    /** Waits for its end. @return the exit code */
    public int join() throws IOException, InterruptedException {
        return handle.join();
    }
}
