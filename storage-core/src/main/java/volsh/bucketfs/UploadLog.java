package volsh.bucketfs;

import java.io.IOException;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import volsh.object.ObjectStore;
import volsh.object.UnfinishedUpload;
import volsh.proc.ProcessStat;

/**
 * The uploads that this process has begun in a bucket and not ended, in a file of its own: the next mount of the bucket
 * by this user removes those of processes that died. A line is added before the first part is sent. Thread-safe.
 */
public final class UploadLog implements AutoCloseable {
    private static final String BEGUN = "+";
    private static final String ENDED = "-";

    private final Path file;

    private UploadLog(Path file) {
        this.file = file;
    }

    /** Of this process; {@code directory} is of one bucket. */
    public static UploadLog open(Path directory) throws IOException {
        Files.createDirectories(directory);
        long pid = ProcessHandle.current().pid();
        return new UploadLog(directory.resolve("%d-%d-%d".formatted(pid, started(pid), System.nanoTime())));
    }

    private static long started(long pid) {
        return ProcessStat.of(pid).filter(ProcessStat::isRunning).map(ProcessStat::startTicks).orElse(0L);
    }

    /** Aborts the uploads of processes that are gone; returns how many. */
    public static int discardLeft(Path directory, ObjectStore store) throws IOException {
        int count = 0;
        for (var file : ofDead(directory)) {
            for (var left : left(file)) {
                store.discard(left);
                count++;
            }
            Files.deleteIfExists(file);
        }
        return count;
    }

    /** Whether a process that is gone has left a log. */
    static boolean hasLeft(Path directory) throws IOException {
        return !ofDead(directory).isEmpty();
    }

    /** How many uploads a process that is gone has left. */
    static int count(Path directory, long pid) throws IOException {
        int count = 0;
        for (var file : ofDead(directory)) {
            count += file.getFileName().toString().startsWith(pid + "-") ? left(file).size() : 0;
        }
        return count;
    }

    private static List<Path> ofDead(Path directory) throws IOException {
        try (var all = Files.list(directory)) {
            return all.filter(UploadLog::isOfDead).toList();
        } catch (NoSuchFileException none) {
            return List.of();
        }
    }

    private static boolean isOfDead(Path file) {
        var parts = file.getFileName().toString().split("-");
        return parts.length == 3 && started(Long.parseLong(parts[0])) != Long.parseLong(parts[1]);
    }

    private static List<UnfinishedUpload> left(Path file) throws IOException {
        Map<String, UnfinishedUpload> left = new LinkedHashMap<>();
        for (var line : Files.readAllLines(file)) {
            var words = line.split(" ");
            if (words.length == 3 && words[0].equals(BEGUN)) {
                String id = decoded(words[1]);
                left.put(id, new UnfinishedUpload(decoded(words[2]), id, Instant.EPOCH));
            } else if (words.length == 2 && words[0].equals(ENDED)) {
                left.remove(decoded(words[1]));
            }
        }
        return List.copyOf(left.values());
    }

    private static String decoded(String word) {
        return URLDecoder.decode(word, StandardCharsets.UTF_8);
    }

    void begun(String id, String key) throws IOException {
        add("%s %s %s\n".formatted(BEGUN, encoded(id), encoded(key)));
    }

    void ended(String id) throws IOException {
        add("%s %s\n".formatted(ENDED, encoded(id)));
    }

    private static String encoded(String word) {
        return URLEncoder.encode(word, StandardCharsets.UTF_8);
    }

    private synchronized void add(String line) throws IOException {
        Files.writeString(file, line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    /** Nothing is left of what has begun. */
    @Override
    public synchronized void close() throws IOException {
        if (Files.exists(file) && left(file).isEmpty()) {
            Files.delete(file);
        }
    }
}
