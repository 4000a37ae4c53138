package volsh.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;

/** The runs of this home, oldest first, and the named baselines. */
public final class Runs {
    private static final DateTimeFormatter STAMP = DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss")
            .withZone(ZoneOffset.UTC);
    private static final String SUFFIX = ".json";
    private static final String BASELINE = "baseline-";

    private final Path directory;

    public Runs(Path directory) {
        this.directory = directory;
    }

    /** Stores a run under a new identifier. */
    public Run add(Instant when, String profile, String target, Map<String, String> facts, List<Measurement> rows)
            throws IOException {
        Files.createDirectories(directory,
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        String base = STAMP.format(when) + "-" + profile;
        for (int number = 1;; number++) {
            var run = new Run(number == 1 ? base : base + "-" + number, when, profile, target, facts, rows);
            if (write(path(run.id()), run)) {
                return run;
            }
        }
    }

    /** Returns whether the file was new; files are written atomically. */
    private boolean write(Path file, Run run) throws IOException {
        if (Files.exists(file)) {
            return false;
        }
        replace(file, run);
        return true;
    }

    private void replace(Path file, Run run) throws IOException {
        Path fresh = Files.createTempFile(directory, ".run", SUFFIX,
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.write(fresh, RunJson.write(run), StandardOpenOption.TRUNCATE_EXISTING);
        Files.move(fresh, file, java.nio.file.StandardCopyOption.ATOMIC_MOVE);
    }

    /** In the order of creation: runs of the same moment have a number after their name, from the second on. */
    private static final Comparator<Run> IN_TURN = Comparator.comparing(Run::when)
            .thenComparing(run -> run.id().replaceFirst("-\\d+$", ""))
            .thenComparingInt(run -> run.id().matches(".*-\\d{1,9}")
                    ? Integer.parseInt(run.id().substring(run.id().lastIndexOf('-') + 1)) : 0);

    public List<Run> all() throws IOException {
        var ids = new ArrayList<String>();
        try (var files = Files.list(directory)) {
            files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(SUFFIX) && !name.startsWith(".") && !name.startsWith(BASELINE))
                    .forEach(name -> ids.add(name.substring(0, name.length() - SUFFIX.length())));
        } catch (NoSuchFileException none) {
            return List.of();
        }
        var runs = new ArrayList<Run>();
        for (String id : ids) {
            runs.add(read(path(id)));
        }
        runs.sort(IN_TURN);
        return runs;
    }

    /**
     * A run by its identifier, an unambiguous prefix, {@code last}, or a baseline's name.
     * @throws NoSuchElementException if there is none, or several
     */
    public Run find(String wanted) throws IOException {
        var all = all();
        if (wanted.equals("last") && !all.isEmpty()) {
            return all.getLast();
        }
        var matching = all.stream().filter(run -> run.id().startsWith(wanted)).toList();
        var exact = matching.stream().filter(run -> run.id().equals(wanted)).findFirst();
        if (exact.isPresent() || matching.size() == 1) {
            return exact.orElseGet(matching::getFirst);
        }
        if (matching.size() > 1) {
            throw new NoSuchElementException("ambiguous run: %d runs begin with '%s'"
                    .formatted(matching.size(), wanted));
        }
        if (isName(wanted) && Files.exists(path(BASELINE + wanted))) {
            return read(path(BASELINE + wanted));
        }
        throw new NoSuchElementException("no such run: '%s'".formatted(wanted));
    }

    /** Makes a run the baseline of this name, for comparison with later runs. */
    public void baseline(String name, Run run) throws IOException {
        if (!isName(name)) {
            throw new IllegalArgumentException(
                    "invalid baseline name: '%s' (use letters, digits, dots, dashes and underscores)".formatted(name));
        }
        replace(path(BASELINE + name), run);
    }

    /** The names of baselines, in order. */
    public List<String> baselines() throws IOException {
        try (var files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.startsWith(BASELINE) && name.endsWith(SUFFIX))
                    .map(name -> name.substring(BASELINE.length(), name.length() - SUFFIX.length())).sorted().toList();
        } catch (NoSuchFileException none) {
            return List.of();
        }
    }

    private static boolean isName(String text) {
        return text.matches("[A-Za-z0-9_][A-Za-z0-9._-]{0,63}") && !Set.of("last").contains(text);
    }

    private Path path(String id) {
        return directory.resolve(id + SUFFIX);
    }

    private static Run read(Path file) throws IOException {
        try {
            return RunJson.read(Files.readAllBytes(file));
        } catch (NoSuchFileException gone) {
            throw gone;
        } catch (IOException damaged) {
            throw new IOException("%s: %s".formatted(file, damaged.getMessage()), damaged);
        }
    }
}
