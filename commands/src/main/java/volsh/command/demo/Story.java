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
    private static final int MARGIN = 4;

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
    private final int width;
    private final Cancellation cancellation;

    /** {@code width}: columns of the terminal; longer lines are wrapped between words. */
    Story(OutputStream out, boolean colour, int width, Cancellation cancellation) {
        this.out = out;
        this.colour = colour;
        this.width = width;
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
        line(mark + command);
        long start = System.nanoTime();
        try {
            add(command, work.run().strip(), start, true);
        } catch (Broken broken) {
            add(command, broken.getMessage().strip(), start, false);
            throw broken;
        }
    }

    /** Shows a command that goes on while others run. */
    void type(String line) throws IOException {
        line("$ " + line);
    }

    private void line(String text) throws IOException {
        tell(Style.BOLD.on(text, colour) + "\n");
    }

    private void add(String command, String result, long start, boolean ok) throws IOException {
        var took = Duration.ofNanos(System.nanoTime() - start);
        steps.add(new Step(steps.size() + 1, command, result, took, ok));
        String time = "(%.2f s)".formatted(took.toNanos() / NANOS);
        var lines = wrapped((ok ? "" : "FAILED: ") + result);
        String told = String.join("\n", lines);
        boolean fits = lines.getLast().length() + time.length() + 2 <= width;
        tell((ok ? told : Style.RED.on(told, colour)) + (result.isEmpty() ? "" : fits ? "  " : "\n  ")
                + Style.DIM.on(time, colour) + "\n");
    }

    /** Indented, and no line wider than the terminal if it has a blank to break it at. */
    private List<String> wrapped(String text) {
        var lines = new ArrayList<String>();
        for (String line : text.split("\n", -1)) {
            String rest = "  " + line;
            for (int end = rest.lastIndexOf(' ', width); rest.length() > width && end > MARGIN;
                    end = rest.lastIndexOf(' ', width)) {
                lines.add(rest.substring(0, end));
                rest = " ".repeat(MARGIN) + rest.substring(end + 1);
            }
            lines.add(rest);
        }
        return lines;
    }

    /** Begins a part of the story. */
    void act(String title) throws IOException {
        tell("\n" + Style.YELLOW.on("# " + title, colour) + "\n");
    }

    /** The last words. */
    void end(boolean good, String text) throws IOException {
        tell("\n" + (good ? Style.GREEN : Style.RED).on(String.join("\n", wrapped(text)).substring(2), colour) + "\n");
    }

    void tell(String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.UTF_8));
        out.flush();
    }

    List<Step> steps() {
        return List.copyOf(steps);
    }
}
