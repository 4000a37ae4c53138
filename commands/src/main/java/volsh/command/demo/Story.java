package volsh.command.demo;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import volsh.command.Cancellation;
import volsh.command.render.Columns;

/** The steps of the demo, told as they happen and remembered. A step that fails ends it. */
final class Story {
    private static final double NANOS = 1e9;

    /** A step that was taken: the line a user would type, what came of it, and how long it took. */
    record Step(int number, String command, String result, Duration took, boolean ok) {}

    /** What a step does; it returns what came of it. */
    interface Work {
        String run() throws Exception;
    }

    /** A claim of the demo did not hold. */
    static final class Broken extends Exception {
        Broken(String message) {
            super(message);
        }
    }

    static final Columns<Step> COLUMNS = Columns.of(Step.class)
            .number("step", Step::number)
            .text("command", Step::command)
            .text("result", Step::result)
            .span("took", Step::took)
            .text("ok", Step::ok);

    private final List<Step> steps = new ArrayList<>();
    private final OutputStream out;
    private final Cancellation cancellation;

    Story(OutputStream out, Cancellation cancellation) {
        this.out = out;
        this.cancellation = cancellation;
    }

    /** Runs a command line. @throws Broken when what it claims is not so; the step is told all the same */
    void command(String line, Work work) throws Exception {
        step("$ ", line, work);
    }

    /** Does something that is not a command of ours. @throws Broken as {@link #command} does */
    void aside(String words, Work work) throws Exception {
        step("# ", words, work);
    }

    private void step(String mark, String command, Work work) throws Exception {
        cancellation.check();
        tell(mark + command + "\n");
        long start = System.nanoTime();
        try {
            add(command, work.run().strip(), start, true);
        } catch (Broken broken) {
            add(command, broken.getMessage().strip(), start, false);
            throw broken;
        }
    }

    private void add(String command, String result, long start, boolean ok) throws IOException {
        var took = Duration.ofNanos(System.nanoTime() - start);
        steps.add(new Step(steps.size() + 1, command, result, took, ok));
        tell("  %s%s  (%.2f s)%n"
                .formatted(ok ? "" : "FAILED: ", result.replace("\n", "\n  "), took.toNanos() / NANOS));
    }

    void tell(String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.UTF_8));
        out.flush();
    }

    List<Step> steps() {
        return List.copyOf(steps);
    }
}
