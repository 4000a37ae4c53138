package volsh.command.line;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import volsh.command.Cancellation;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;

/** A command of the operating system, run by {@code /bin/sh}. */
public final class SystemCommand {
    private SystemCommand() {}

    /**
     * Runs the command with {@code input}, and writes its output to {@code out} as it comes; its errors go where ours
     * go.
     *
     * @return its exit code
     */
    public static int run(String command, @Nullable String input, OutputStream out, Map<String, String> environment,
            Cancellation cancellation) throws IOException, InterruptedException {
        var builder = new ProcessBuilder(List.of("/bin/sh", "-c", command))
                .redirectError(ProcessBuilder.Redirect.INHERIT);
        if (input == null) {
            builder.redirectInput(ProcessBuilder.Redirect.INHERIT);
        }
        builder.environment().clear();
        builder.environment().putAll(environment);
        return ended(builder.start(), input, out, cancellation);
    }

    private static int ended(Process process, @Nullable String input, OutputStream out, Cancellation cancellation)
            throws IOException, InterruptedException {
        try (var _ = cancellation.onRequest(() -> end(process))) {
            Thread feeder = feed(process, input);
            process.getInputStream().transferTo(out);
            out.flush();
            feeder.join();
            int status = process.waitFor();
            cancellation.check();
            return status;
        } catch (IOException closed) {
            cancellation.check();   // a command that was ended closes what we read from
            throw closed;
        } finally {
            process.destroy();
        }
    }

    /**
     * Runs the command beside whatever the terminal is used for: it reads nothing from it, writes what it has to say to
     * {@code out}, and Ctrl-C there does not concern it.
     */
    static int aside(String command, @Nullable String input, OutputStream out, Map<String, String> environment,
            Cancellation cancellation) throws IOException, InterruptedException {
        var builder = new ProcessBuilder(List.of("/bin/sh", "-c", "trap '' INT QUIT TSTP\n" + command))
                .redirectErrorStream(true);
        builder.environment().clear();
        builder.environment().putAll(environment);
        return ended(builder.start(), input == null ? "" : input, out, cancellation);
    }

    /** Lends the terminal to the command: an editor or a pager works as in any shell. */
    static int atTerminal(String command, @Nullable String input, Map<String, String> environment,
            Cancellation cancellation) throws IOException, InterruptedException {
        var builder = new ProcessBuilder(List.of("/bin/sh", "-c", command)).inheritIO();
        if (input != null) {
            builder.redirectInput(ProcessBuilder.Redirect.PIPE);
        }
        builder.environment().clear();
        builder.environment().putAll(environment);
        return ended(builder.start(), input, OutputStream.nullOutputStream(), cancellation);
    }

    /** Words as a line of which the shell changes nothing. */
    public static String line(Collection<?> words) {
        return String.join(" ", words.stream().map(word -> "'" + Literal.word(word).replace("'", "'\\''") + "'")
                .toList());
    }

    private static void end(Process process) {
        process.descendants().forEach(ProcessHandle::destroy);
        process.destroy();
    }

    private static Thread feed(Process process, @Nullable String input) {
        return Thread.ofVirtual().start(() -> {
            try (var stdin = process.getOutputStream()) {
                stdin.write((input == null ? "" : input).getBytes(StandardCharsets.UTF_8));
            } catch (IOException readEnough) {
                // the command did not read all of its input
            }
        });
    }

    /** A command that failed, with its own code when that is a code of ours to pass on. */
    public static CommandFailure failed(String command, int status) {
        return CommandFailure.of(ExitCode.FAILED, "OS-" + "%04d".formatted(status),
                "'" + command + "' exited with " + status);
    }
}
