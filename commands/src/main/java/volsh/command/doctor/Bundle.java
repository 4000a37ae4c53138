package volsh.command.doctor;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import volsh.catalog.Home;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.Diagnosis;
import volsh.command.failure.ExitCode;
import volsh.command.run.BuildFacts;
import volsh.fs.ShellWord;
import volsh.mount.Mounts;
import volsh.proc.KernelFile;

/**
 * An archive for remote support: versions, settings, the catalog, metrics of mounts, logs, events and the state of the
 * machine. Every text goes through {@link Redaction}; data, metadata, traces, history and transcripts are not included.
 */
final class Bundle {
    private static final int TAIL = 256 << 10;
    private static final int FILES_MAX = 1_000;
    private static final Pattern VARIABLES = Pattern.compile("VOLSH_.*|JAVA.*|JDK_.*|AWS_.*|XDG_.*|LANG|LC_.*|TZ|TERM|"
            + "(?i)(https?|no|all)_proxy|PG.*|SLURM_JOB_ID|HOSTNAME");
    private static final Pattern PRIVATE = Pattern.compile(
            "(?i).*(history|transcript|credential|secret|\\.key$|\\.pem$).*");

    private final Session session;
    private final Redaction redaction;
    private final TarGz archive;
    private final List<String> names = new ArrayList<>();

    private Bundle(Session session, TarGz archive) {
        this.session = session;
        this.redaction = new Redaction(session.environment());
        this.archive = archive;
    }

    /** Writes a new file. @return the names of its entries */
    static List<String> write(Session session, Path file) throws Exception {
        try (var archive = new TarGz(file, session.clock().instant())) {
            var bundle = new Bundle(session, archive);
            bundle.all();
            return bundle.names;
        } catch (FileAlreadyExistsException there) {
            throw CommandFailure.of(ExitCode.CONFLICT, "DOC-0005", "file exists: '%s'".formatted(file))
                    .hint("volsh doctor --bundle " + ShellWord.of(
                            file.resolveSibling("new-" + file.getFileName())));
        }
    }

    private interface Source {
        String text() throws Exception;
    }

    private void all() throws Exception {
        var home = session.service(Home.class);
        add("README.txt", () ->
                ("Written by volsh doctor --bundle. Secrets are replaced by %s. It contains no file data, "
                        + "no metadata and no history.\n")
                        .formatted(Redaction.GONE));
        add("versions.txt", Bundle::versions);
        add("environment.txt", this::environment);
        add("checkup.txt", () -> lines(Checkup.of(session).rows().stream()
                .map(row -> "%s: %s (%s)".formatted(row.finding(), row.evidence(), row.fix()))));
        add("mounts.txt", () -> lines(session.service(Mounts.class).list().stream()
                .map(status -> "%s %s".formatted(status.state(), status.record()))));
        add("metrics.txt", () -> Exposition.of(Watched.accounts(session.service(Mounts.class))));
        tree("config", home.config());
        tree("catalog", home.state().resolve("catalog"));
        tree("logs", home.state().resolve("logs"));
        tree("events", home.state().resolve("events"));
        tree("jobs", home.state().resolve("jobs"));
        for (var file : List.of("meminfo", "diskstats", "loadavg", "pressure/io", "pressure/cpu", "pressure/memory",
                "self/mountinfo", "version")) {
            add("system/" + file.replace('/', '-'), () -> KernelFile.text(Watched.proc(session).resolve(file)));
        }
    }

    /** Adds the reason instead of a text that is unavailable. */
    private void add(String name, Source source) throws IOException {
        String text;
        try {
            text = source.text();
        } catch (Exception missing) {
            text = "unavailable: " + Diagnosis.of(missing).message() + "\n";
        }
        archive.add("volsh-bundle/" + name, redaction.of(text));
        names.add(name);
    }

    private void tree(String name, Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            return;
        }
        List<Path> files;
        try (Stream<Path> walk = Files.walk(directory)) {
            files = walk.filter(path -> Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)
                    && !PRIVATE.matcher(path.getFileName().toString()).matches())
                    .sorted().limit(FILES_MAX).toList();
        }
        for (var file : files) {
            add(name + "/" + directory.relativize(file), () -> tail(file));
        }
    }

    /** The end of a text, without a line that is cut, so that no half of a secret stays. */
    private static String tail(Path file) throws IOException {
        try (var in = new RandomAccessFile(file.toFile(), "r")) {
            long from = Math.max(0, in.length() - TAIL);
            byte[] bytes = new byte[(int) (in.length() - from)];
            in.seek(from);
            in.readFully(bytes);
            var text = new String(bytes, StandardCharsets.UTF_8);
            return from == 0 ? text : text.substring(text.indexOf('\n') + 1);
        }
    }

    private static String versions() throws IOException {
        var release = Path.of("/etc/os-release");
        return "%s%n%s %s %s%njava %s%n%s".formatted(BuildFacts.read(), System.getProperty("os.name"),
                System.getProperty("os.version"), System.getProperty("os.arch"),
                Runtime.version(), Files.isReadable(release) ? Files.readString(release) : "");
    }

    private String environment() {
        var lines = new ArrayList<String>();
        new TreeMap<>(session.environment()).forEach((name, value) -> {
            if (VARIABLES.matcher(name).matches()) {
                lines.add("%s=%s".formatted(name, Redaction.isSecret(name) ? Redaction.GONE : value));
            }
        });
        return lines(lines.stream());
    }

    private static String lines(Stream<String> lines) {
        return String.join("", lines.map(line -> line + "\n").toList());
    }
}
