package volsh.gateway;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import volsh.json.Fields;
import volsh.json.Json;
import volsh.proc.ProcessMark;

/** The gateways that run in this home: a small file for each, which it writes while it runs and removes at its end. */
public final class GatewayRecords {
    private static final FileAttribute<Set<PosixFilePermission>> PRIVATE = PosixFilePermissions.asFileAttribute(
            PosixFilePermissions.fromString("rw-------"));
    private static final FileAttribute<Set<PosixFilePermission>> PRIVATE_DIRECTORY = PosixFilePermissions
            .asFileAttribute(PosixFilePermissions.fromString("rwx------"));

    private final Path directory;

    /**
     * A gateway and what it has done so far.
     *
     * @param alive false if its process is gone without having removed its record: it was killed, or crashed
     */
    public record Running(long pid, String url, List<String> volumes, boolean readOnly, Instant started, int active,
            long receivedBytes, long sentBytes, Map<String, Long> calls, Map<String, Long> refusals,
            Optional<GatewayCounts.Failure> lastFailure, boolean alive) {
        public Running {
            volumes = List.copyOf(volumes);
            calls = java.util.Collections.unmodifiableMap(new TreeMap<>(calls));
            refusals = java.util.Collections.unmodifiableMap(new TreeMap<>(refusals));
        }

        public long requests() {
            return calls.values().stream().mapToLong(Long::longValue).sum();
        }

        public long refused() {
            return refusals.values().stream().mapToLong(Long::longValue).sum();
        }
    }

    /** In the directory of gateways of this state. */
    public GatewayRecords(Path state) {
        this.directory = state.resolve("gateway").resolve("running");
    }

    /** Those whose process runs. */
    public List<Running> list() throws IOException {
        return all().stream().filter(Running::alive).toList();
    }

    /** Those whose process runs, and those that ended without stopping, until they are forgotten. */
    public List<Running> all() throws IOException {
        var running = new ArrayList<Running>();
        try (var files = Files.newDirectoryStream(directory, "*.json")) {
            for (Path file : files) {
                var mark = new ProcessMark(file.getFileName().toString().replaceFirst("\\.json$", ""));
                if (mark.state() == ProcessMark.State.GONE || mark.state() == ProcessMark.State.ALIVE) {
                    read(file, mark.state() == ProcessMark.State.ALIVE, running);
                }
            }
        } catch (NoSuchFileException none) {
            return List.of();
        }
        running.sort(Comparator.comparing(Running::started));
        return running;
    }

    private static void read(Path file, boolean alive, List<Running> into) throws IOException {
        try {
            var fields = Json.read(Files.readAllBytes(file));
            var volumes = new ArrayList<String>();
            ((List<?>) fields.values().getOrDefault("volumes", List.of())).forEach(
                    name -> volumes.add(String.valueOf(name)));
            into.add(new Running(fields.number("pid"), fields.text("url"), volumes,
                    Boolean.TRUE.equals(fields.values().get("readOnly")), Instant.parse(fields.text("started")),
                    (int) fields.number("active"), fields.number("receivedBytes"), fields.number("sentBytes"),
                    numbers(fields.fields("calls")), numbers(fields.fields("refusals")), failure(fields), alive));
        } catch (NoSuchFileException ended) {
            return;   // meanwhile
        }
    }

    private static Optional<GatewayCounts.Failure> failure(Fields fields) throws IOException {
        return fields.has("failure") ? Optional.of(new GatewayCounts.Failure(fields.text("failure"),
                Instant.parse(fields.text("failed")))) : Optional.empty();
    }

    private static Map<String, Long> numbers(Fields fields) throws IOException {
        var numbers = new TreeMap<String, Long>();
        for (String name : fields.values().keySet()) {
            numbers.put(name, fields.number(name));
        }
        return numbers;
    }

    /** Writes what this process does. */
    public void put(Running own) throws IOException {
        Files.createDirectories(directory, PRIVATE_DIRECTORY);
        var fields = new LinkedHashMap<String, Object>();
        fields.put("pid", own.pid());
        fields.put("url", own.url());
        fields.put("volumes", own.volumes());
        fields.put("readOnly", own.readOnly());
        fields.put("started", own.started().toString());
        fields.put("active", own.active());
        fields.put("receivedBytes", own.receivedBytes());
        fields.put("sentBytes", own.sentBytes());
        fields.put("calls", own.calls());
        fields.put("refusals", own.refusals());
        own.lastFailure().ifPresent(failure -> {
            fields.put("failure", failure.message());
            fields.put("failed", failure.time().toString());
        });
        Path fresh = Files.createTempFile(directory, ".", ".new", PRIVATE);
        Files.move(Files.write(fresh, Json.write(fields)), own(), StandardCopyOption.ATOMIC_MOVE);
    }

    /** Forgets this process. */
    public void remove() throws IOException {
        Files.deleteIfExists(own());
    }

    /** Forgets gateways that ended without stopping at this address. */
    public void forget(String url) throws IOException {
        try (var files = Files.newDirectoryStream(directory, "*.json")) {
            for (Path file : files) {
                var mark = new ProcessMark(file.getFileName().toString().replaceFirst("\\.json$", ""));
                var read = new ArrayList<Running>();
                if (mark.state() == ProcessMark.State.GONE) {
                    read(file, false, read);
                }
                if (read.stream().anyMatch(each -> each.url().equals(url))) {
                    Files.deleteIfExists(file);
                }
            }
        } catch (NoSuchFileException none) {
            return;
        }
    }

    private Path own() {
        return directory.resolve(ProcessMark.own().text() + ".json");
    }
}
