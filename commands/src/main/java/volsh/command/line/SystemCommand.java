package volsh.command.line;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import volsh.command.Cancellation;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;

/** A command of the operating system, run by {@code /bin/sh}. */
public final class SystemCommand {
    private SystemCommand() {}

    /**
     * Runs the command with {@code input}, and writes its output to {@code out} as it comes; its errors go where ours go.
     *
     * @return its exit code
     */
    public static int run(String command, String input, OutputStream out, Map<String, String> environment,
            Cancellation cancellation) throws IOException, InterruptedException {
        var builder = new ProcessBuilder(List.of("/bin/sh", "-c", command))
                .redirectError(ProcessBuilder.Redirect.INHERIT);
        if (input == null) {
            builder.redirectInput(ProcessBuilder.Redirect.INHERIT);
        }
        builder.environment().clear();
        builder.environment().putAll(environment);
        Process process = builder.start();
        try (var _ = cancellation.onRequest(() -> end(process))) {
            Thread feeder = feed(process, input);
            process.getInputStream().transferTo(out);
            out.flush();
            feeder.join();
            int status = process.waitFor();
            cancellation.check();
            return status;
        } finally {
            process.destroy();
        }
    }

    /** Words as a line of which the shell changes nothing. */
    public static String line(Collection<?> words) {
        return String.join(" ", words.stream().map(word -> "'" + Literal.word(word).replace("'", "'\\''") + "'").toList());
    }

    private static void end(Process process) {
        process.descendants().forEach(ProcessHandle::destroy);
        process.destroy();
    }

    private static Thread feed(Process process, String input) {
        return Thread.ofVirtual().start(() -> {
            try (var stdin = process.getOutputStream()) {
                stdin.write((input == null ? "" : input).getBytes(StandardCharsets.UTF_8));
            } catch (IOException readEnough) {
                // The command did not want all of it.
            }
        });
    }

    /** A command that failed, with its own code when that is a code of ours to pass on. */
    public static CommandFailure failed(String command, int status) {
        return CommandFailure.of(ExitCode.FAILED, "OS-" + "%04d".formatted(status),
                "'" + command + "' ended with " + status);
    }
}
