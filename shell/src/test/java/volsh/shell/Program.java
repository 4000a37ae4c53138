package volsh.shell;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A main class in a process of its own. */
final class Program {
    private Program() {}

    record Ended(int status, String out, String err) {}

    static ProcessBuilder of(Class<?> main, String... words) {
        var command = new ArrayList<>(main.equals(Main.class) ? Launch.words() : Launch.classes(main));
        command.addAll(List.of(words));
        return new ProcessBuilder(command);
    }

    /** The program, from its classes; the log names each one that it loads. */
    static ProcessBuilder logging(Path log, String... words) {
        var command = new ArrayList<>(Launch.classes(Main.class));
        command.add(1, "-Xlog:class+load:file=" + log);
        command.addAll(List.of(words));
        return new ProcessBuilder(command);
    }

    static Ended run(ProcessBuilder builder) throws IOException, InterruptedException {
        Process process = builder.start();
        process.getOutputStream().close();
        return end(process);
    }

    /** Waits for the end, reading both streams. */
    static Ended end(Process process) throws IOException, InterruptedException {
        var err = new StringBuilder();
        Thread reader = Thread.ofPlatform().start(() -> err.append(text(process.getErrorStream())));
        String out = text(process.getInputStream());
        reader.join();
        if (!process.waitFor(120, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new IOException("the program does not end: " + out + err);
        }
        return new Ended(process.exitValue(), out, err.toString());
    }

    private static String text(InputStream stream) {
        try {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException failure) {
            return failure.toString();
        }
    }

    static void signal(Process process, String name) throws IOException, InterruptedException {
        new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).inheritIO().start().waitFor();
    }
}
