package volsh.command.failure;

import java.util.List;
import java.util.function.UnaryOperator;

/**
 * A failure, ready to be shown.
 *
 * @param status the number the process ends with: that of {@code exit}, unless a script chose another
 * @param code    stable name of this very failure, such as {@code VOL-0412}; tests and scripts match on it, not on the
 *                text
 * @param message what failed, in one line, with the object's name
 * @param details facts that help, such as who holds a lock
 * @param causes  why, from the outside in, in plain words
 * @param hints   commands that can be pasted
 */
public record Problem(ExitCode exit, int status, String code, String message, List<String> details,
        List<String> causes, List<String> hints) {
    public Problem {
        details = List.copyOf(details);
        causes = List.copyOf(causes);
        hints = List.copyOf(hints);
    }

    static Problem of(ExitCode exit, String code, String message) {
        return new Problem(exit, exit.status(), code, message, List.of(), List.of(), List.of());
    }

    Problem ending(int number) {
        return new Problem(exit, number, code, message, details, causes, hints);
    }

    /** A cancelled command that ends with the code of another signal than SIGINT. */
    public Problem stopped(ExitCode by) {
        return exit != ExitCode.CANCELLED || by == ExitCode.CANCELLED ? this : new Problem(by, by.status(),
                "CLI-0" + by.status(), message.equals("cancelled") ? by.meaning() : message, details, causes, hints);
    }

    Problem because(List<String> reasons) {
        return new Problem(exit, status, code, message, details, reasons, hints);
    }

    /** The same problem with the object's name in front of the message. */
    public Problem about(String object) {
        return new Problem(exit, status, code, object + ": " + message, details, causes, hints);
    }

    Problem hint(String hint) {
        return new Problem(exit, status, code, message, details, causes, plus(hints, hint));
    }

    /** With what helps most before the other hints; facts that only say the same are left out. */
    public Problem withFirstHint(String hint) {
        var all = new java.util.ArrayList<>(List.of(hint));
        all.addAll(hints);
        return new Problem(exit, status, code, message,
                details.stream().filter(detail -> !detail.startsWith("did you mean '")).toList(), causes, all);
    }

    /** With its hints as they are written where they are shown. */
    public Problem pasted(UnaryOperator<String> writing) {
        return new Problem(exit, status, code, message, details, causes, hints.stream().map(writing).toList());
    }

    Problem detail(String detail) {
        return new Problem(exit, status, code, message, plus(details, detail), causes, hints);
    }

    private static List<String> plus(List<String> list, String item) {
        var longer = new java.util.ArrayList<>(list);
        longer.add(item);
        return longer;
    }
}
