package volsh.shell;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import volsh.command.Action;
import volsh.command.Cancellation;
import volsh.command.Converters;
import volsh.command.Guard;
import volsh.command.Host;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Services;
import volsh.command.Session;
import volsh.command.console.Terminal;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.command.run.CommandRunner;
import volsh.command.run.CommandTree;
import volsh.command.run.Node;

/** Commands that take long, run as {@link Main} runs them. */
final class SlowProgram {
    private SlowProgram() {}

    public static void main(String[] arguments) {
        var cancellation = new Cancellation();
        int status;
        try (var _ = Signals.cancel(cancellation)) {
            var tree = new CommandTree(List.of(Node.command("loop", Loop::new), Node.command("wait", Wait::new),
                    Node.command("stubborn", Stubborn::new), Node.command("endless", Endless::new),
                            Node.command("ask", Ask::new)),
                    Converters.standard());
            var host = new Host(new FileInputStream(FileDescriptor.in), new FileOutputStream(FileDescriptor.out),
                    new FileOutputStream(FileDescriptor.err), System.getenv(), InstantSource.system(), () ->
                            ZoneOffset.UTC,
                    new Terminal(true, false, false, () -> 0), new Services());
            status = new CommandRunner(tree, host).run(List.of(arguments), cancellation).status();
        }
        System.exit(status);
    }

    private static void cleanUp(Path file) throws Exception {
        Thread.sleep(100); // an interrupt that is still pending would break this
        Files.writeString(file, "cleaned");
    }

    @Command(name = "loop", description = "Looks at the wish to stop.")
    static final class Loop implements Action<Void> {
        @Parameters
        Path file;

        @Override
        public Void run(Session session) throws Exception {
            try {
                session.say("running");
                while (true) {
                    session.cancellation().check();
                    Thread.onSpinWait();
                }
            } finally {
                cleanUp(file);
            }
        }
    }

    @Command(name = "wait", description = "Waits without ever looking.")
    static final class Wait implements Action<Void> {
        @Parameters
        Path file;

        @Override
        public Void run(Session session) throws Exception {
            try {
                session.say("running");
                new CountDownLatch(1).await();
                return null;
            } finally {
                cleanUp(file);
            }
        }
    }

    @Command(name = "stubborn", description = "Never ends.")
    static final class Stubborn implements Action<Void> {
        @Parameters
        Path file;

        @Override
        public Void run(Session session) throws Exception {
            try (var _ = session.cancellation().onRequest(() -> session.say("cleaning"))) {
                session.say("running");
                while (true) {
                    Thread.onSpinWait();
                }
            }
        }
    }

    @Command(name = "endless", description = "Prints for ever.")
    static final class Endless implements Action<Rows<Long>> {
        @Override
        public Rows<Long> run(Session session) {
            return Rows.lazy(Columns.of(Long.class).number("n", n -> n), Stream.iterate(0L, n -> n + 1));
        }
    }

    @Command(name = "ask", description = "Asks.")
    static final class Ask implements Mutation<Void> {
        @Override
        public Columns<?> columns() {
            return Columns.NONE;
        }

        @Override
        public Plan plan(Session session) {
            return Plan.of("change", "everything", "");
        }

        @Override
        public Guard guard(Session session) {
            return new Guard.Ask("running?");
        }

        @Override
        public Void run(Session session) {
            session.say("changed");
            return null;
        }
    }
}
