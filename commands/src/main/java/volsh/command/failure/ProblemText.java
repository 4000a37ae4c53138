package volsh.command.failure;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.StringJoiner;
import volsh.command.render.Json;
import volsh.command.render.Printable;
import volsh.command.render.Style;

/** Formats a problem for people and for programs. */
public final class ProblemText {
    private ProblemText() {}

    /**
     * <pre>
     * error: cannot destroy volume 'train-b': mounted on 2 hosts [VOL-0412]
     *   gpu-07  /mnt/train   3h
     * cause: …
     * hint: volsh umount --all train-b
     * exit 5 (busy)
     * </pre>
     *
     * <p>A command that was cancelled has no error: who pressed Ctrl-C knows why it ended.
     */
    public static String human(Problem problem, boolean colour) {
        var lines = new StringJoiner("\n");
        if (problem.exit() == ExitCode.CANCELLED) {
            lines.add(Printable.of(problem.message()));
            problem.details().forEach(detail -> lines.add("  " + Printable.of(detail)));
            problem.hints().forEach(hint -> lines.add(Style.GREEN.on("hint:", colour) + " " + Printable.of(hint)));
            return lines.toString();
        }
        lines.add(Style.RED.on("error:", colour) + " " + Printable.of(problem.message()) + " "
                + Style.DIM.on("[" + problem.code() + "]", colour));
        problem.details().forEach(detail -> lines.add("  " + Printable.of(detail)));
        problem.causes().forEach(cause -> lines.add("cause: " + Printable.of(cause)));
        problem.hints().forEach(hint -> lines.add(Style.GREEN.on("hint:", colour) + " " + Printable.of(hint)));
        String advice = problem.exit().retryable() ? ", retry later" : "";
        return lines.add("exit " + problem.status() + " (" + problem.exit().kind() + advice + ")").toString();
    }

    /** One JSON object on one line. */
    public static String json(Problem problem) {
        var fields = new LinkedHashMap<String, Object>();
        fields.put("code", problem.code());
        fields.put("kind", problem.exit().kind());
        fields.put("exit", problem.status());
        fields.put("retryable", problem.exit().retryable());
        fields.put("message", problem.message());
        fields.put("details", problem.details());
        fields.put("causes", problem.causes());
        fields.put("hints", problem.hints());
        return Json.of(Map.of("error", fields));
    }
}
