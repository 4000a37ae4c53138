package volsh.script;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import volsh.catalog.Home;
import volsh.command.Cancellation;
import volsh.command.Host;
import volsh.command.Services;
import volsh.command.console.Terminal;
import volsh.command.line.Language;
import volsh.command.line.Shorthand;
import volsh.command.run.CommandRunner;
import volsh.command.run.CommandTree;
import volsh.command.tree.Commands;
import volsh.fs.Owner;
import volsh.job.Jobs;
import volsh.mount.Launcher;
import volsh.mount.Mounts;
import volsh.shell.Launch;
import volsh.volume.Volumes;

/** The whole program in this process, on a home below a temporary directory. */
final class Workshop {
    private final Path directory;
    private final Map<String, String> environment = new HashMap<>();
    private String input = "";

    Workshop(Path directory) {
        this.directory = directory;
        environment.put("VOLSH_HOME", directory.resolve("home").toString());
        environment.put("LANG", "C.UTF-8");
        environment.put("PATH", "/usr/bin:/bin");
    }

    /** How a call ended. */
    record Ended(int status, String out, String err) {
        /** The stable name of the failure that was told. */
        String code() {
            return err.replaceFirst("(?s).*error: [^\\n]*\\[([A-Z]+-\\d+)].*", "$1");
        }
    }

    Workshop with(String variable, String value) {
        environment.put(variable, value);
        return this;
    }

    Workshop typing(String text) {
        input = text;
        return this;
    }

    Path directory() {
        return directory;
    }

    Path home() {
        return directory.resolve("home");
    }

    Path file(String name, String text) throws IOException {
        return Files.writeString(directory.resolve(name), text);
    }

    Services services() {
        var services = new Services();
        var home = Home.of(environment, false);
        return services.with(Owner.class, () -> Owner.ROOT).with(Home.class, () -> home)
                .with(Volumes.class, () -> new Volumes(home, InstantSource.system(), Owner.ROOT))
                .with(Launcher.class, this::launcher)
                .with(Mounts.class, () -> new Mounts(home, services.of(Volumes.class), InstantSource.system()))
                .with(Jobs.class,
                        () -> new Jobs(home.state().resolve("jobs"), launcher().words(), InstantSource.system()))
                .with(Language.Maker.class, () -> GroovyLanguage::start);
    }

    /** Another volsh with this home, wherever it is started from. */
    private Launcher launcher() {
        return new Launcher(Stream.concat(Stream.of("/usr/bin/env", "VOLSH_HOME=" + home()), Launch.words().stream())
                .toList());
    }

    Host host(OutputStream out, OutputStream err, Services services) {
        return new Host(new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)), out, err, environment,
                InstantSource.system(), () -> ZoneOffset.UTC, Terminal.none(), services);
    }

    Ended run(String... words) throws IOException {
        return run(new Cancellation(), words);
    }

    Ended run(Cancellation cancellation, String... words) throws IOException {
        var out = new ByteArrayOutputStream();
        var err = new ByteArrayOutputStream();
        try (var services = services()) {
            CommandTree tree = Commands.tree(services);
            int status = new CommandRunner(tree, host(out, err, services))
                    .status(Shorthand.expand(List.of(words)), cancellation);
            return new Ended(status, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
        }
    }

    /** Runs a script of this text. */
    Ended script(String text, String... arguments) throws IOException {
        var words = new java.util.ArrayList<>(List.of("run", file("script.groovy", text).toString()));
        words.addAll(List.of(arguments));
        return run(words.toArray(String[]::new));
    }
}
