package volsh.shell;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import volsh.assembly.VolumeKeys;
import volsh.catalog.Home;
import volsh.command.Cancellation;
import volsh.command.GlobalOptions;
import volsh.command.Host;
import volsh.command.Services;
import volsh.command.console.PassphraseQuestion;
import volsh.command.complete.CompletionSources;
import volsh.command.console.ProcessTerminal;
import volsh.command.failure.ExitCode;
import volsh.command.line.Interactive;
import volsh.command.line.Language;
import volsh.command.line.Shorthand;
import volsh.command.run.CommandRunner;
import volsh.command.tree.Commands;
import volsh.fs.Owner;
import volsh.job.JobProcess;
import volsh.job.Jobs;
import volsh.mount.Detachment;
import volsh.mount.Launcher;
import volsh.mount.Mounts;
import volsh.prompt.Prompt;
import volsh.script.GroovyLanguage;
import volsh.secret.Secrets;
import volsh.volume.Volumes;

/** Runs the command that the arguments name, once, and ends the process with its exit code. */
public final class Main {
    private Main() {}

    public static void main(String[] arguments) {
        // else picocli loads Groovy when it is on the class path
        System.setProperty("picocli.disable.closures", "true");
        System.setProperty("picocli.converters.excludes", "java.sql.*"); // and with these the whole of java.sql
        Ahead.begin(List.of(arguments));
        var cancellation = new Cancellation();
        int status;
        try (var _ = Signals.cancel(cancellation)) {
            Optional<JobProcess> job = job();
            if (isMountOfItsOwn(arguments)) {
                accept();
            }
            status = run(List.of(arguments), cancellation);
            if (job.isPresent()) {
                end(job.get(), status, cancellation.requested());
            }
        }
        if (status != 0 || isAnyoneLeft()) {
            System.exit(status);
        }
        // Else the process ends by itself. System.exit would ask for a logger, and so open every jar of the class path.
    }

    /** The job that this process is; then it leaves the terminal that it was started from. */
    private static Optional<JobProcess> job() {
        if (System.getenv(JobProcess.VARIABLE) == null) {
            return Optional.empty();
        }
        try {
            Optional<JobProcess> job = JobProcess.claim(System.getenv());
            if (job.isPresent()) {
                Detachment.leaveSession();
                Secrets.accept(System.in);
            }
            return job;
        } catch (IOException unknown) {
            System.err.println("error: cannot write the record of this job: " + unknown.getMessage());
            return Optional.empty();
        }
    }

    /** Whether {@link Mounts} started this process. */
    private static boolean isMountOfItsOwn(String[] arguments) {
        return arguments.length > 2
                && List.of(arguments).subList(0, 3).equals(List.of("mount", "--foreground", "--detached"));
    }

    private static void accept() {
        try {
            Secrets.accept(System.in);
        } catch (IOException none) {
            // treated as absent
        }
    }

    private static void end(JobProcess job, int status, boolean cancelled) {
        try {
            job.end(cancelled && status != 0 ? ExitCode.TERMINATED.status() : status, cancelled, Instant.now());
        } catch (IOException unknown) {
            System.err.println("error: cannot record the end of this job (exit %d): %s"
                    .formatted(status, unknown.getMessage()));
        }
    }

    /** Whether another thread keeps the process alive. */
    static boolean isAnyoneLeft() {
        var group = Thread.currentThread().getThreadGroup();
        while (group.getParent() != null) {
            group = group.getParent();
        }
        var threads = new Thread[2 * group.activeCount() + 16];
        int count = group.enumerate(threads);
        return Arrays.stream(threads, 0, count)
                .anyMatch(thread -> !thread.isDaemon() && !thread.equals(Thread.currentThread()));
    }

    /**
     * The user's environment. Java needs a UTF-8 locale to read file names, which the launcher sets; this restores the
     * original locale ({@code lcAll}, empty if it was not set) for output and for child processes.
     */
    static Map<String, String> environment(Map<String, String> ours, String lcAll) {
        var theirs = new HashMap<>(ours);
        theirs.putAll(Secrets.given());
        if (lcAll != null && lcAll.isEmpty()) {
            theirs.remove("LC_ALL");
        } else if (lcAll != null) {
            theirs.put("LC_ALL", lcAll);
        }
        return Map.copyOf(theirs);
    }

    private static int run(List<String> words, Cancellation cancellation) {
        Map<String, String> environment = environment(System.getenv(), System.getProperty("volsh.lcAll"));
        try (var services = services(environment, InstantSource.system())) {
            Secrets.alsoIn(() -> keyVariables(services));
            var host = new Host(new FileInputStream(FileDescriptor.in), new FileOutputStream(FileDescriptor.out),
                    new FileOutputStream(FileDescriptor.err), environment, InstantSource.system(),
                    ZoneId::systemDefault, ProcessTerminal.detect(), services);
            if (Shorthand.isPrompt(words) && host.terminal().input() && host.terminal().output()) {
                boolean rc = !words.contains(Shorthand.NO_RC);
                return prompt(host, Shorthand.optionsOfPrompt(words), cancellation, rc, Interactive.Script.NONE);
            }
            services.with(Interactive.class, () -> (session, script) ->
                    prompt(host, session.options().inherited(), cancellation, false, script));
            List<String> whole = Shorthand.expand(words, !host.terminal().input());
            boolean completes = !whole.isEmpty() && whole.getFirst().equals("__complete");
            var tree = completes ? Commands.tree(services, CompletionSources.patienceAfter(age()))
                    : Commands.tree(services);
            return new CommandRunner(tree, host).status(whole, cancellation);
        } catch (Exception failed) {
            new PrintStream(new FileOutputStream(FileDescriptor.err)).println("error: " + failed.getMessage());
            return ExitCode.FAILED.status();
        }
    }

    private static int prompt(Host host, List<String> options, Cancellation cancellation, boolean rc,
            Interactive.Script script) throws Exception {
        var tree = Commands.tree(host.services(), CompletionSources.PROMPT_PATIENCE);
        return Prompt.run(tree, host, GlobalOptions.of(options.toArray(String[]::new)), cancellation, rc, script);
    }

    private static Set<String> keyVariables(Services services) {
        try {
            return VolumeKeys.variables(services.of(Home.class).state().resolve("volumes"));
        } catch (Exception noHome) {
            return Set.of();
        }
    }

    /** How long ago this process was started. */
    private static Duration age() {
        return ProcessHandle.current().info().startInstant().map(start -> Duration.between(start, Instant.now()))
                .orElse(Duration.ZERO);
    }

    private static Volumes volumes(Services services, InstantSource clock) throws Exception {
        var volumes = new Volumes(services.of(Home.class), clock, services.of(Owner.class));
        volumes.settings().keys().onAsk(new PassphraseQuestion());
        return volumes;
    }

    /** The services of commands, created on first use: the owner, the home and its volumes. */
    private static Services services(Map<String, String> environment, InstantSource clock) {
        var services = new Services();
        return services
                .with(Owner.class, ProcessOwner::read)
                .with(Home.class, () -> Home.of(environment, services.of(Owner.class).uid() == 0).trusted())
                .with(Volumes.class, () -> volumes(services, clock))
                .with(Launcher.class, Launcher::ofThisProcess)
                .with(Mounts.class, () -> new Mounts(services.of(Home.class), services.of(Volumes.class), clock))
                .with(Jobs.class, () -> new Jobs(services.of(Home.class).state().resolve("jobs"),
                        services.of(Launcher.class).words(), clock))
                .with(Language.Maker.class, () -> GroovyLanguage::start);
    }
}
