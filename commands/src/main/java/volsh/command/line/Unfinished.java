package volsh.command.line;

import java.util.Optional;
import volsh.command.failure.CommandFailure;

/** Finds what is still open in an entry, so that more lines must follow. */
public final class Unfinished {
    private Unfinished() {}

    /** The bracket or quote that is open, {@code \} or an operator at the end; empty when the text can run. */
    public static Optional<String> sign(String text, LineRule rule) {
        return switch (rule.classify(text)) {
            case LineKind.Command(String line) -> command(line, 0);
            case LineKind.Piped(String line, int code) -> command(line, code);
            case LineKind.Assigned(String _, LineKind.Piped(String line, int code), int _) -> command(line, code);
            case LineKind.Assigned(String _, LineKind.Command(String line), int _) -> command(line, 0);
            case LineKind.Assigned _ -> Optional.empty();
            case LineKind.Code(String code) -> Optional.of(CodeScanner.open(code)).filter(sign -> !sign.isEmpty());
            case LineKind.SystemLine(String command) -> command.endsWith("\\") ? Optional.of("\\") : Optional.empty();
            case LineKind.Nothing(), LineKind.CodeJob(String _), LineKind.Unknown(String _) -> Optional.empty();
        };
    }

    private static Optional<String> command(String line, int code) {
        if (line.endsWith("\\") && !line.endsWith("\\\\")) {
            return Optional.of("\\");
        }
        try {
            Lexer.tokens(line, code);
            return Optional.empty();
        } catch (CommandFailure open) {
            return Optional.of(Lexer.sign(open));
        }
    }
}
