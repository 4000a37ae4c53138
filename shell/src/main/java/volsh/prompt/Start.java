package volsh.prompt;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import volsh.command.Session;
import volsh.command.line.Language.Source;
import volsh.command.line.Program;
import volsh.command.run.CommandRunner;

/**
 * The start of a session: files of lines are run before the first prompt, because they say how it looks; code is run while
 * the person reads and types, because the first code would make them wait a second. A file that fails is told in a line.
 */
final class Start {
    private final Program program;
    private final PromptEntries entries;
    private final Session session;
    private final Supplier<Program> silent;
    private final List<Path> files;
    private final CountDownLatch coded = new CountDownLatch(1);

    /** {@code silent} makes a program to warm up with, {@code wanted} says whether files are run at all. */
    Start(Program program, PromptEntries entries, Session session, Supplier<Program> silent, boolean wanted) throws Exception {
        this.program = program;
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
        try {
            int status = entries.source(new Source(file.getFileName().toString(), RcFiles.read(file)), session);
            if (status != 0) {
                session.warn(file + " ended with " + status);
            }
        } catch (Throwable failure) {
            CommandRunner.fail(failure, session);
        }
    }

    private void warmUp() {
        try (var unheard = silent.get()) {
            unheard.language().entry(new Source("warm-up", "[1].collect { it + 1 }"));
        } catch (Exception notImportant) {
            // The person's own code will tell.
        }
    }

    /** Returns when the code of the files has run: an entry may need what it declares. */
    void await() throws InterruptedException {
        coded.await();
    }
}
