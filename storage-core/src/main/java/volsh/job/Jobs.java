package volsh.job;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.SortedSet;
import java.util.TreeSet;
import volsh.json.Fields;
import volsh.json.Json;
import volsh.secret.Secrets;

/**
 * The jobs of a home: volsh commands in processes of their own, which continue when the terminal is closed. Each has a
 * directory (0700) with its record, its log and, at the end, its exit code. Any process may query any job.
 *
 * <pre>{@code
 * Job job = jobs.start(List.of("checkpoint", "save", "train", "--run", "r1"), "checkpoint of run r1");
 * session.say("job " + job.id());     // volsh job wait j7, volsh job log j7 -f
 * }</pre>
 */
public final class Jobs {
    private static final String PREFIX = "j";
    private static final String RECORD = "job.json";
    private static final String LOG = "log";
    private static final String LAUNCHED = "launched.json";
    /** Ends when its standard input does, having started the command: Java closes the input of an ended process. */
    private static final String SCRIPT =
            "log=$1; shift; exec 4>&1; cat | { exec 3<&0; \"$@\" <&3 3<&- 4>&- >>\"$log\" 2>&1 & echo $! >&4; }";
    private static final int ENDED_KEPT = 200;
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration LOOK = Duration.ofMillis(20);

    private final Path directory;
    private final List<String> launcher;
    private final InstantSource clock;

    /** {@code launcher}: the command line that starts volsh. */
    public Jobs(Path directory, List<String> launcher, InstantSource clock) {
        this.directory = directory;
        this.launcher = List.copyOf(launcher);
        this.clock = clock;
    }

    /**
     * Starts a command with the working directory and the environment of this process, and returns when it runs. It is
     * not interactive, and its output goes to its log.
     *
     * @param command the arguments after {@code volsh}
     * @throws IOException with its output, if it does not start
     */
    public Job start(List<String> command, String title) throws IOException {
        return begun(command, title, Jobs::awaitClaim);
    }

    /**
     * Like {@link #start}, but returns when there is a process, which takes a tenth of the time: a failure before it
     * does anything is in its log, and the job is lost. Its record survives power loss.
     */
    public Job launch(List<String> command, String title) throws IOException {
        return begun(command, title, (place, process) -> PrivateFiles.put(place.resolve(LAUNCHED), process.values()));
    }

    /** Runs once there is a process. */
    private interface Beginning {
        void of(Path place, ProcessIdentity process) throws IOException;
    }

    private Job begun(List<String> command, String title, Beginning beginning) throws IOException {
        forgetOldest();
        Path place = newPlace();
        try {
            describe(place, command, title);
            PrivateFiles.create(place.resolve(LOG));
            PrivateFiles.sync(place.resolve(RECORD));
            PrivateFiles.sync(place);
            PrivateFiles.sync(directory);
            long pid = launch(place, command);
            try {
                var process = ProcessIdentity.of(pid);
                if (process.isPresent()) {
                    beginning.of(place, process.get());
                } else if (!Files.exists(place.resolve(JobProcess.PROCESS))) {
                    throw stillborn(place);
                }
            } catch (IOException | RuntimeException failed) {
                ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
                throw failed;
            }
        } catch (IOException | RuntimeException failed) {
            remove(place);
            throw failed;
        }
        return read(place);
    }

    private static IOException stillborn(Path place) {
        return new IOException("the job did not start: " + lastWords(place.resolve(LOG)));
    }

    private Path newPlace() throws IOException {
        PrivateFiles.makeDirectories(directory);
        for (int number = numbers().stream().reduce((_, last) -> last).orElse(0) + 1;; number++) {
            try {
                Path place = directory.resolve(PREFIX + number);
                PrivateFiles.makeDirectory(place);
                return place;
            } catch (FileAlreadyExistsException taken) {
                // another process did at the same moment
            }
        }
    }

    private void describe(Path place, List<String> command, String title) throws IOException {
        var record = new LinkedHashMap<String, Object>();
        record.put("title", title);
        record.put("command", command);
        record.put("directory", Path.of("").toAbsolutePath());
        record.put("started", clock.instant());
        PrivateFiles.put(place.resolve(RECORD), record);
    }

    /**
     * Starts the process, which gets the secrets of our environment on its standard input; returns its number. It is
     * not our child but that of a shell that ends at once: otherwise our JVM would take 0.3 s longer to exit, waiting
     * for its thread that waits for a child.
     */
    private long launch(Path place, List<String> command) throws IOException {
        if (launcher.getFirst().contains("/") && !Files.isExecutable(Path.of(launcher.getFirst()))) {
            throw new IOException("cannot start %s".formatted(launcher.getFirst()));
        }
        var words = new ArrayList<>(List.of("/bin/sh", "-c", SCRIPT, "sh", place.resolve(LOG).toString()));
        words.addAll(launcher);
        words.addAll(command);
        var builder = new ProcessBuilder(words).redirectError(ProcessBuilder.Redirect.DISCARD);
        builder.environment().put(JobProcess.VARIABLE, place.toString());
        var secrets = Secrets.takeFrom(builder.environment());
        var shell = builder.start();
        Secrets.hand(secrets, shell.getOutputStream());
        try (var said = shell.getInputStream()) {
            return Long.parseLong(new String(said.readAllBytes(), StandardCharsets.US_ASCII).strip());
        } catch (NumberFormatException nothing) {
            throw new IOException("cannot start a process", nothing);
        }
    }

    private static void awaitClaim(Path place, ProcessIdentity process) throws IOException {
        long limit = System.nanoTime() + PATIENCE.toNanos();
        while (!Files.exists(place.resolve(JobProcess.PROCESS))) {
            if (!process.isAlive() && !Files.exists(place.resolve(JobProcess.PROCESS))) {
                throw stillborn(place);
            }
            if (System.nanoTime() > limit) {
                throw new IOException("starting the job timed out after a minute");
            }
            pause();
        }
    }

    private static void pause() throws InterruptedIOException {
        try {
            Thread.sleep(LOOK);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted before the job started");
        }
    }

    private static String lastWords(Path log) {
        try {
            var lines = Files.readAllLines(log);
            return lines.isEmpty() ? "it printed nothing" : lines.getLast();
        } catch (IOException unreadable) {
            return "cannot read its output: " + unreadable.getMessage();
        }
    }

    /** All jobs, in the order of their start. */
    public List<Job> list() throws IOException {
        var jobs = new ArrayList<Job>();
        for (int number : numbers()) {
            try {
                jobs.add(read(directory.resolve(PREFIX + number)));
            } catch (NoSuchFileException forgotten) {
                // removed at this moment
            }
        }
        return jobs;
    }

    private SortedSet<Integer> numbers() throws IOException {
        var numbers = new TreeSet<Integer>();
        try (DirectoryStream<Path> places = Files.newDirectoryStream(directory, PREFIX + "*")) {
            for (Path place : places) {
                String digits = place.getFileName().toString().substring(PREFIX.length());
                if (digits.matches("[0-9]{1,8}")) {
                    numbers.add(Integer.parseInt(digits));
                }
            }
        } catch (NoSuchFileException none) {
            // there never was a job
        }
        return numbers;
    }

    /** @throws NoSuchElementException if there is no such job */
    public Job find(String id) throws IOException {
        try {
            return read(place(id));
        } catch (NoSuchFileException none) {
            throw unknown(id);
        }
    }

    private Path place(String id) {
        if (!id.matches(PREFIX + "[0-9]{1,8}")) {
            throw unknown(id);
        }
        return directory.resolve(id);
    }

    private static NoSuchElementException unknown(String id) {
        return new NoSuchElementException("no such job: '%s'".formatted(id));
    }

    /**
     * Asks a job to stop: it ends in an orderly way, which may take a moment.
     *
     * @param force kill it at once instead
     * @return whether it was running
     */
    public boolean cancel(String id, boolean force) throws IOException {
        Path place = place(id);
        while (find(id).state() == JobState.STARTING) {
            pause();   // until it can receive the signal
        }
        if (find(id).state() != JobState.RUNNING) {
            return false;
        }
        long pid = ProcessIdentity.of(Json.read(Files.readAllBytes(place.resolve(JobProcess.PROCESS)))).pid();
        return ProcessHandle.of(pid).map(process -> force ? process.destroyForcibly() : process.destroy())
                .orElse(false);
    }

    /** Removes the record of a finished job. @return whether it was finished */
    public boolean forget(String id) throws IOException {
        if (find(id).state().isOpen()) {
            return false;
        }
        remove(place(id));
        return true;
    }

    /** Limits the number of old records. */
    private void forgetOldest() throws IOException {
        if (numbers().size() <= ENDED_KEPT) {
            return;
        }
        var over = list().stream().filter(job -> !job.state().isOpen()).toList();
        for (Job job : over.subList(0, Math.max(0, over.size() - ENDED_KEPT))) {
            forget(job.id());
        }
    }

    private static void remove(Path place) throws IOException {
        try (var all = Files.walk(place)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        } catch (NoSuchFileException gone) {
            // another process removes it, too
        }
    }

    /** @throws NoSuchFileException if there is no such job */
    private Job read(Path place) throws IOException {
        try {
            return whole(place);
        } catch (NoSuchFileException none) {
            throw none;
        } catch (IOException | RuntimeException damaged) {
            return new Job(place.getFileName().toString(), "its record is corrupt: " + damaged.getMessage(),
                    List.of(), directory, Instant.EPOCH, JobState.LOST, OptionalInt.empty(), Optional.empty(),
                    OptionalLong.empty(), "", place.resolve(LOG));
        }
    }

    private Job whole(Path place) throws IOException {
        String id = place.getFileName().toString();
        // checked first: a process that is gone had reported before
        boolean stillborn = isOver(fields(place.resolve(LAUNCHED)));
        Optional<Fields> process = fields(place.resolve(JobProcess.PROCESS));
        Optional<ProcessIdentity> identity = process.isEmpty() ? Optional.empty()
                : Optional.of(ProcessIdentity.of(process.get()));
        boolean alive = identity.isPresent() && identity.get().isHere() && identity.get().isAlive();
        // checked last: a process that is gone had written it before
        Optional<Fields> end = fields(place.resolve(JobProcess.END));
        var record = fields(place.resolve(RECORD))
                .orElseThrow(() -> new NoSuchFileException(place.resolve(RECORD).toString()));
        var started = Instant.parse(record.text("started"));
        JobState state = end.isPresent() ? state(end.get())
                : identity.isEmpty() ? stillborn ? JobState.LOST : beginning(started)
                : !identity.get().isHere() ? JobState.ELSEWHERE
                : alive ? JobState.RUNNING : JobState.LOST;
        return new Job(id, record.text("title"), words(record), Path.of(record.text("directory")), started, state,
                end.isPresent() ? OptionalInt.of((int) end.get().number("exit")) : OptionalInt.empty(),
                end.isPresent() ? Optional.of(Instant.parse(end.get().text("ended"))) : Optional.empty(),
                identity.isPresent() ? OptionalLong.of(identity.get().pid()) : OptionalLong.empty(),
                identity.map(ProcessIdentity::host).orElse(""), place.resolve(LOG));
    }

    private static boolean isOver(Optional<Fields> launched) throws IOException {
        if (launched.isEmpty()) {
            return false;
        }
        var process = ProcessIdentity.of(launched.get());
        return process.isHere() && !process.isAlive();
    }

    /** The starting process waits at most a minute for the job's process. */
    private JobState beginning(Instant started) {
        return Duration.between(started, clock.instant()).compareTo(PATIENCE.multipliedBy(2)) > 0 ? JobState.LOST
                : JobState.STARTING;
    }

    private static JobState state(Fields end) throws IOException {
        return Boolean.TRUE.equals(end.values().get("cancelled")) ? JobState.CANCELLED
                : end.number("exit") == 0 ? JobState.DONE : JobState.FAILED;
    }

    private static List<String> words(Fields record) {
        return record.values().get("command") instanceof List<?> words ? words.stream().map(String::valueOf).toList()
                : List.of();
    }

    private static Optional<Fields> fields(Path file) throws IOException {
        byte[] bytes;
        try {
            bytes = Files.readAllBytes(file);
        } catch (NoSuchFileException none) {
            return Optional.empty();
        }
        return Optional.of(Json.read(bytes));
    }
}
