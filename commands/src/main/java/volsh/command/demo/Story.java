package volsh.command.demo;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import volsh.command.Cancellation;
import volsh.command.render.Columns;
import volsh.command.render.Style;

/** Prints and records the steps of the demo. A failed step ends it. */
final class Story {
    private static final double NANOS = 1e9;

    /** A step: the line a user would type, its result and its duration. */
    record Step(int number, String command, String result, Duration took, boolean ok) {}

    /** The action of a step; returns its result. */
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
    private final boolean colour;
    private final Cancellation cancellation;

    Story(OutputStream out, boolean colour, Cancellation cancellation) {
        this.out = out;
        this.colour = colour;
        this.cancellation = cancellation;
    }

    /** Runs a command line. @throws Broken if its claim does not hold; the step is printed nevertheless */
    void command(String line, Work work) throws Exception {
        step("$ ", line, work);
    }

    /** Runs an action that is not a volsh command. @throws Broken as {@link #command} does */
    void aside(String words, Work work) throws Exception {
        step("# ", words, work);
    }

    private void step(String mark, String command, Work work) throws Exception {
        cancellation.check();
        tell(Style.BOLD.on(mark + command, colour) + "\n");
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
        tell("  %s%s  %s%n".formatted(ok ? "" : Style.RED.on("FAILED: ", colour), result.replace("\n", "\n  "),
                Style.DIM.on("(%.2f s)".formatted(took.toNanos() / NANOS), colour)));
    }

    void good(String text) throws IOException {
        tell(Style.GREEN.on(text, colour));
    }

    void bad(String text) throws IOException {
        tell(Style.RED.on(text, colour));
    }

    void tell(String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.UTF_8));
        out.flush();
    }

    List<Step> steps() {
        return List.copyOf(steps);
    }
}
