package volsh.command.line;

import java.io.OutputStream;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import volsh.command.Cancellation;
import volsh.command.Session;

/** How {@code !command} of a line is run: what it reads when nothing is piped into it, and where its output goes. */
public interface SystemStage {
    /** It reads what we read; what it writes goes through us. */
    SystemStage USUAL = (command, input, captured, session, stop) ->
            SystemCommand.run(command, input, captured.orElse(session.out()), session.environment(), stop);

    /** In the background: it reads nothing, and Ctrl-C does not concern it. */
    SystemStage ASIDE = (command, input, captured, session, stop) ->
            SystemCommand.aside(command, input, captured.orElse(session.out()), session.environment(), stop);

    /** It has the terminal: an editor or a pager works as in any shell. */
    SystemStage TERMINAL = (command, input, captured, session, stop) -> captured.isPresent()
            ? SystemCommand.run(command, input, captured.get(), session.environment(), stop)
            : SystemCommand.atTerminal(command, input, session.environment(), stop);

    /** Runs it. {@code captured}: its output is for the next stage. @return its exit code */
    int run(String command, @Nullable String input, Optional<OutputStream> captured, Session session, Cancellation stop)
            throws Exception;
}
