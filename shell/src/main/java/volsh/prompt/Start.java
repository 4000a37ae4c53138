package volsh.prompt;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import volsh.command.Host;
import volsh.command.Session;
import volsh.command.line.Language.Source;
import volsh.command.line.Program;
import volsh.command.run.CommandRunner;

/**
 * The start of a session. Runs files of lines before the first prompt, because they set its appearance; runs code while
 * the user reads and types, because the first code takes a second. Reports a file that fails in one line.
 */
final class Start {
    /** Code is warmed up after the first line was answered, and its names completed: all would be slower at once. */
    private static final Duration FIRST_LINE = Duration.ofMillis(1500);

    private final PromptEntries entries;
    private final Session session;
    private final Supplier<Program> silent;
    private final List<Path> files;
    private final CountDownLatch coded = new CountDownLatch(1);

    /** {@code silent} makes a program to warm up with, {@code wanted} says whether files are run at all. */
    Start(PromptEntries entries, Session session, Supplier<Program> silent, boolean wanted) throws Exception {
        this.entries = entries;
        this.session = session;
        this.silent = silent;
        this.files = wanted ? new RcFiles(session).trusted() : List.of();
    }

    void lines() {
        files.stream().filter(file -> file.toString().endsWith(".volsh")).forEach(this::run);
    }

    void code() {
        Thread.ofPlatform().daemon().name("warm-up").start(() -> {
            try {
                files.stream().filter(file -> file.toString().endsWith(".groovy")).forEach(this::run);
            } finally {
                coded.countDown();
            }
            warmUp();
        });
    }

    private void run(Path file) {
        var said = new ByteArrayOutputStream();
        var host = session.host();
        var aside = new Session(new Host(host.in(), host.out(), said, host.environment(), host.clock(), host.zone(),
                host.terminal(), host.services()), session.options(), session.cancellation());
        int status = 1;
        try {
            status = entries.source(new Source(file.getFileName().toString(), RcFiles.read(file)), aside, true);
        } catch (Throwable failure) {
            CommandRunner.fail(failure, aside);
        }
        tell(file, status, said.toString(StandardCharsets.UTF_8).replaceAll("\u001b\\[[0-9;]*m", ""));
    }

    private void tell(Path file, int status, String said) {
        if (status == 0) {
            said.lines().forEach(session.messages()::line);
        } else {
            said.lines().filter(line -> line.startsWith("error: ")).forEach(line ->
                    session.warn(file.getFileName() + ": " + line.substring("error: ".length())));
        }
    }

    private void warmUp() {
        try (var unheard = silent.get()) {
            Thread.sleep(FIRST_LINE);
            unheard.language().entry(new Source("warm-up", "[1].collect { it + 1 }"));
        } catch (Exception notImportant) {
            // the user's own code reports it
        }
    }

    /** Returns when the code of the files has run: an entry may need what it declares. */
    void await() throws InterruptedException {
        coded.await();
    }
}
