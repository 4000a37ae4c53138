package volsh.prompt;

import java.io.IOException;
import java.io.OutputStream;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.IntSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import volsh.command.Cancellation;
import volsh.command.Session;
import volsh.command.console.KeyInput;
import volsh.command.failure.CancelledException;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.Diagnosis;
import volsh.command.failure.Problem;
import volsh.command.failure.ProblemText;
import volsh.command.render.Rendering;
import volsh.command.render.Text;
import volsh.command.render.View;
import volsh.unit.Span;

/** Runs a line repeatedly and draws its output in place, marking changes, until q or until a condition holds. */
final class Watch {
    private static final Pattern WORDS = Pattern.compile(
            "(?:(?<time>[0-9]\\S*)\\s+)?(?:--until\\s+(?<until>'[^']*'|\"[^\"]*\"|\\S+)\\s+)?(?<late>[0-9]\\S*\\s+)?"
                    + "(?<line>[^-\\s].*)", Pattern.DOTALL);
    private static final Pattern CELL = Pattern.compile("\\S+(?: \\S+)*");
    private static final Pattern ESCAPE = Pattern.compile("\u001b\\[[0-9;]*[a-zA-Z]");
    private static final String HOME = "\u001b[H";
    private static final String CLEAR_REST = "\u001b[J";
    private static final String CLEAR_LINE = "\u001b[K\n";

    private final Session session;
    private final IntSupplier height;
    private List<String> before = List.of();

    Watch(Session session, IntSupplier height) {
        this.session = session;
        this.height = height;
    }

    /** The line to run. {@code until} is empty if there is no condition. */
    record Wish(Duration pause, String until, String line) {
        /** {@code 2s --until 'it.size() > 3' volume list}. */
        static Wish of(String words) {
            Matcher matcher = WORDS.matcher(words);
            if (!matcher.matches() || matcher.group("line").matches("[0-9]\\S*")) {
                throw CommandFailure.usage("watch needs a time and a line, such as: watch 2s mounts list");
            }
            String time = matcher.group("time") != null ? matcher.group("time") : matcher.group("late");
            String until = matcher.group("until") == null ? ""
                    : matcher.group("until").replaceAll("^(['\"])(.*)\\1$", "$2");
            return new Wish(time == null ? Duration.ofSeconds(2) : Span.of(time.strip()).duration(), until,
                    matcher.group("line"));
        }
    }

    /** @return the status of the last run */
    int run(Wish wish, Callable<@Nullable Object> look, @Nullable Function<@Nullable Object, @Nullable Object> until,
            Cancellation stop) throws Exception {
        int status = 0;
        var left = new CountDownLatch(1);
        write(HOME + CLEAR_REST);
        try (var _ = stop.interrupting(); var _ = KeyInput.listen(session, key -> leaveOn(key, left))) {
            while (true) {
                Object value = null;
                List<String> lines;
                try {
                    value = look.call();
                    lines = text(value);
                    status = 0;
                } catch (CancelledException enough) {
                    throw enough;
                } catch (Exception failure) {
                    Problem problem = Diagnosis.of(failure);
                    lines = ProblemText.human(problem.pasted(session::pasted), false).lines().toList();
                    status = problem.status();
                }
                draw("every " + new Span(wish.pause()) + ", q leaves: " + wish.line(), lines);
                if (status == 0 && until != null && Boolean.TRUE.equals(until.apply(value))) {
                    return 0;
                }
                if (left.await(wish.pause().toMillis(), TimeUnit.MILLISECONDS)) {
                    return status;
                }
            }
        } catch (InterruptedException | CancelledException enough) {
            return status;
        }
    }

    private static void leaveOn(KeyInput.Key key, CountDownLatch left) {
        if (key == KeyInput.Key.QUIT) {
            left.countDown();
        }
    }

    private List<String> text(Object value) throws IOException {
        var text = new StringWriter();
        View view = session.view();
        Rendering.print(value instanceof String plain ? new Text(plain) : value, new View(view.format(), view.columns(),
                view.sort(), view.headers(), view.zone(), view.width(), view.terminal(), false, view.unicode()), text);
        return text.toString().lines().toList();
    }

    private void draw(String title, List<String> lines) throws IOException {
        int room = Math.max(3, height.getAsInt() - 2);
        var frame = new StringBuilder(HOME).append(title).append(CLEAR_LINE);
        for (int i = 0; i < Math.min(lines.size(), room); i++) {
            String old = i < before.size() ? before.get(i) : "";
            frame.append(before.isEmpty() ? lines.get(i) : marked(lines.get(i), old)).append(CLEAR_LINE);
        }
        if (lines.size() > room) {
            frame.append("… ").append(lines.size() - room).append(" more lines").append(CLEAR_LINE);
        }
        write(frame.append(CLEAR_REST).toString());
        before = new ArrayList<>(lines);
    }

    /** The line with the cells in reverse that did not stand there before. */
    static String marked(String line, String old) {
        return CELL.matcher(line).replaceAll(cell -> {
            int end = Math.min(cell.end(), old.length());
            boolean same = cell.start() < end && old.substring(cell.start(), end).equals(cell.group())
                    && (end == old.length() || old.charAt(end) == ' ');
            return Matcher.quoteReplacement(same ? cell.group() : "\u001b[7m" + cell.group() + "\u001b[0m");
        });
    }

    /** A terminal that cannot draw gets one picture below the other. */
    private void write(String text) throws IOException {
        OutputStream out = session.out();
        boolean plain = "dumb".equals(session.environment().get("TERM"));
        out.write((plain ? ESCAPE.matcher(text).replaceAll("") : text).getBytes(StandardCharsets.UTF_8));
        out.flush();
    }
}
