package volsh.command.tree;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import volsh.catalog.Home;
import volsh.command.Cancellation;
import volsh.command.TestHost;
import volsh.command.run.CommandRunner;
import volsh.command.run.Words;
import volsh.fs.Owner;
import volsh.job.Jobs;
import volsh.mount.Launcher;
import volsh.mount.Mounts;
import volsh.volume.Volumes;

/** The whole program on a home below a temporary directory. */
public final class Scratch {
    private final Path home;
    private final InstantSource clock;

    public Scratch(Path home) {
        this(home, InstantSource.system());
    }

    /** On a machine with this clock. */
    public Scratch(Path home, InstantSource clock) {
        this.home = home;
        this.clock = clock;
    }

    /** How a line ended. */
    public record Ended(int status, String out, String err) {}

    public Path home() {
        return home;
    }

    public Volumes volumes() {
        return new Volumes(homes(), clock, Owner.ROOT);
    }

    public Home homes() {
        return Home.of(Map.of("VOLSH_HOME", home.toString()), false);
    }

    private Mounts mounts() {
        return new Mounts(homes(), volumes(), clock);
    }

    /** Runs a line where nobody can answer. */
    public Ended run(String line) {
        return run(new TestHost(), line);
    }

    /** Runs a line that must end well. */
    public Ended ok(String line) {
        var ended = run(line);
        assertThat(ended.status()).as(line + "\n" + ended.err()).isZero();
        return ended;
    }

    /**
     * Puts files {@code f0}, {@code f1} and so on, which do not compress, into {@code /data} of a volume; they are made
     * beside the home.
     */
    public void fill(String volume, int count, int size) throws IOException {
        var source = Files.createDirectories(home.resolveSibling("source-" + volume));
        for (int i = 0; i < count; i++) {
            var bytes = new byte[size];
            new SplittableRandom(i).nextBytes(bytes);
            Files.write(source.resolve("f" + i), bytes);
        }
        ok("put -r %s %s:/data".formatted(source, volume));
    }

    /** Runs a line with more in its environment. */
    public Ended run(String line, Map<String, String> environment) {
        var host = new TestHost();
        environment.forEach(host::with);
        return run(host, line);
    }

    /** Runs a line at a terminal where somebody types this. */
    public Ended type(String line, String answer) {
        return run(new TestHost().terminal(120).with("NO_COLOR", "1").typing(answer), line);
    }

    /** Runs a line that somebody may want to stop. */
    public Ended run(String line, Cancellation cancellation) {
        return run(new TestHost(), line, cancellation);
    }

    /** Runs a line that reads this from standard input. */
    public Ended feed(String line, String input) {
        return run(new TestHost().typing(input), line);
    }

    public Ended run(TestHost host, String line) {
        return run(host, line, new Cancellation());
    }

    /** The same, whose output the host has while the line runs. */
    public Ended run(TestHost host, String line, Cancellation cancellation) {
        host.services().with(Owner.class, () -> Owner.ROOT).with(Home.class, this::homes)
                .with(Volumes.class, this::volumes)
                .with(Mounts.class, this::mounts)
                .with(Launcher.class, () -> new Launcher(List.of("/opt/volsh/bin/volsh")))
                .with(Jobs.class, () -> new Jobs(homes().state().resolve("jobs"), List.of("/opt/volsh/bin/volsh"),
                        InstantSource.system()));
        var exit = new CommandRunner(Commands.tree(host.services()), host.host()).run(Words.of(line), cancellation);
        return new Ended(exit.status(), host.out(), host.err());
    }

    /** Everything below the home, with the length of files; the catalog's lock is nothing. */
    public Map<String, Long> files() {
        var found = new TreeMap<String, Long>();
        if (Files.exists(home)) {
            try (var walk = Files.walk(home)) {
                walk.filter(path -> !path.endsWith("catalog/lock"))
                        .forEach(path -> found.put(home.relativize(path).toString(), size(path)));
            } catch (IOException unreadable) {
                throw new UncheckedIOException(unreadable);
            }
        }
        return found;
    }

    private static long size(Path path) {
        try {
            return Files.isDirectory(path) ? -1 : Files.size(path);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }
}
