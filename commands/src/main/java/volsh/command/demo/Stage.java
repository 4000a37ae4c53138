package volsh.command.demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import volsh.command.Cancellation;

/**
 * Where the demo happens: a directory, volsh on a home in it, and other programs. Lines are shown as they would be typed
 * in that directory.
 */
record Stage(Story story, DemoHome home, Path directory, Cancellation cancellation) {
    private static final long PATIENCE_SECONDS = 60;

    /** Turns the end of a command into the words of its step. */
    interface Check {
        String of(DemoHome.Ended ended) throws Exception;
    }

    Path path(String name) {
        return directory.resolve(name);
    }

    /** Runs volsh; paths in {@code words} are absolute, and shown relative to the directory. */
    void volsh(Check check, String... words) throws Exception {
        story.command("volsh " + typed(words), () -> near(check.of(home.run(List.of(words)))));
    }

    /** Runs volsh, which must succeed, and shows all it answers. */
    void volsh(String... words) throws Exception {
        volsh(Stage::succeeded, words);
    }

    /** Runs volsh, which must succeed, and shows its message without the table of the result. */
    void briefly(String... words) throws Exception {
        volsh(ended -> {
            succeeded(ended);
            return ended.err();
        }, words);
    }

    /** Runs a line of the system's shell in the directory. */
    void program(String line, Check check) throws Exception {
        story.command(line, () -> near(check.of(sh(line))));
    }

    void aside(String words, Story.Work work) throws Exception {
        story.aside(words, () -> near(work.run()));
    }

    static String succeeded(DemoHome.Ended ended) throws Story.Broken {
        if (ended.status() != 0) {
            throw new Story.Broken("exit %d: %s".formatted(ended.status(), ended.shown()));
        }
        return ended.shown();
    }

    private String typed(String... words) {
        return String.join(" ", Stream.of(words).map(this::near).map(word ->
                word.matches("[\\w@%+=:,./-]+") ? word : '"' + word + '"').toList());
    }

    /** Without the name of the directory. */
    private String near(String text) {
        return text.replace("file://" + directory, "file://$PWD").replace(directory + "/", "");
    }

    /** A line of the system's shell that runs until it is closed. */
    AutoCloseable background(String line) throws IOException {
        story.type(line + " &");
        var process = new ProcessBuilder("sh", "-c", line).directory(directory.toFile())
                .redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
        return () -> {
            kill(process);
            process.waitFor();
        };
    }

    private DemoHome.Ended sh(String line) throws Exception {
        Path said = Files.createTempFile(directory, "said", "");
        var process = new ProcessBuilder("sh", "-c", line).directory(directory.toFile()).redirectErrorStream(true)
                .redirectOutput(said.toFile()).start();
        try (var _ = cancellation.onRequest(() -> kill(process))) {
            process.getOutputStream().close();
            boolean ended = process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
            cancellation.check();
            if (!ended) {
                throw new Story.Broken("no end within %d s".formatted(PATIENCE_SECONDS));
            }
            return new DemoHome.Ended(process.exitValue(), Files.readString(said), "");
        } finally {
            kill(process);
            Files.deleteIfExists(said);
        }
    }

    private static void kill(Process process) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }
}
