package volsh.command.run;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import volsh.command.Guard;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.console.Attendance;
import volsh.command.context.Context;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.fs.ShellWord;

/**
 * Asks before a change that is hard to undo. Without a terminal it fails, naming the option to pass; it never
 * hangs.
 */
final class Confirmation {
    private static final int LONGEST_ANSWER = 1024;
    private static final long LOOK_MILLIS = 100;

    private Confirmation() {}

    static void obtain(Mutation<?> mutation, Session session) throws Exception {
        var guard = mutation.guard(session);
        if (guard instanceof Guard.None && !Context.asks(session)) {   // the common case, without linking the switch
            return;
        }
        switch (guard) {
            case Guard.None none -> askIfProtected(mutation, session);
            case Guard.Ask(String question) -> {
                if (!session.options().yes()) {
                    ask(mutation, session, question, " [y/N] ", "-y", "y");
                }
            }
            case Guard.TypeName(String question, String name) -> {
                requireNameIfGiven(session, name);
                if (session.options().confirm().isEmpty()) {
                    String how = " Type '" + name + "' to continue: ";
                    ask(mutation, session, question, how, "--confirm " + ShellWord.of(name), name);
                }
            }
            case Guard.NameIfGiven(String name) -> {
                requireNameIfGiven(session, name);
                askIfProtected(mutation, session);
            }
        }
    }

    private static void askIfProtected(Mutation<?> mutation, Session session) throws Exception {
        if (!session.options().yes() && session.terminal().input() && !session.options().noInput()
                && Context.asks(session)
                && !mutation.plan(session).changes().isEmpty()) {
            ask(mutation, session, "this home is protected: continue?", " [y/N] ", "-y", "y");
        }
    }

    private static void requireNameIfGiven(Session session, String name) {
        String given = session.options().confirm();
        if (!given.isEmpty() && !given.equals(name)) {
            throw CommandFailure.usage("--confirm names '" + given + "', not '" + name + "'");
        }
    }

    private static void ask(Mutation<?> mutation, Session session, String question, String how, String option,
            String expected) throws Exception {
        if (!session.terminal().input() || session.options().noInput() || !Attendance.isThere()) {
            throw unanswered(session, question, option);
        }
        for (Plan.Change change : mutation.plan(session).changes()) {
            session.messages().line(volsh.command.render.Printable.of(change.toString()));
        }
        session.messages().ask(question + how);
        String answer = answer(session).orElseThrow(() -> unanswered(session, question, option));
        boolean yes = answer.equals(expected) || expected.equals("y") && answer.equalsIgnoreCase("yes");
        if (!yes) {
            throw CommandFailure.of(ExitCode.FAILED, "CLI-0001", "not confirmed; nothing was changed");
        }
    }

    private static CommandFailure unanswered(Session session, String question, String option) {
        var failure = CommandFailure.of(ExitCode.USAGE, "CLI-0003", "not confirmed: " + question);
        return (session.options().yes() ? failure.detail("--yes is not enough for this: it is confirmed by its name")
                : failure).hint("add " + option);
    }

    /**
     * A line of input; empty if the command goes to the background before there is one. Another thread waits for it,
     * because a read from a terminal cannot be interrupted and Ctrl-C must.
     */
    private static Optional<String> answer(Session session) throws IOException, InterruptedException {
        var line = new CompletableFuture<String>();
        Thread reader = Thread.ofPlatform().daemon().name("answer").start(() -> {
            try {
                line.complete(readLine(session));
            } catch (IOException | RuntimeException failure) {
                line.completeExceptionally(failure);
            }
        });
        try (var _ = session.cancellation().interrupting()) {
            while (Attendance.isThere()) {
                try {
                    return Optional.of(line.get(LOOK_MILLIS, TimeUnit.MILLISECONDS));
                } catch (TimeoutException notYet) {
                    // look again whether a person is there
                }
            }
            return Optional.empty();
        } catch (ExecutionException failure) {
            throw new IOException("cannot read the answer", failure.getCause());
        } finally {
            reader.interrupt();   // the answer is no longer needed; further keys belong to the next reader
        }
    }

    private static String readLine(Session session) throws IOException {
        var bytes = new ByteArrayOutputStream();
        int next = session.in().read();
        boolean whole = true;
        while (next >= 0 && next != '\n') {
            whole &= bytes.size() < LONGEST_ANSWER;
            if (whole) {
                bytes.write(next);
            }
            next = session.in().read();
        }
        return !whole ? "" : bytes.toString(StandardCharsets.UTF_8).strip();
    }
}
