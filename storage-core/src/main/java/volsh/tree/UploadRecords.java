package volsh.tree;

import java.io.IOException;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import volsh.block.StoreUrl;
import volsh.object.ObjectStore;
import volsh.object.UnfinishedUpload;
import volsh.proc.ProcessMark;

/**
 * Which uploads this machine has begun, a file for each, named by its process: what a killed process left in a bucket
 * is found and aborted by the next one that uploads there, and nothing of other programs is.
 *
 * <p>A record is written before its upload begins, and gets its id afterwards. One without an id stands for uploads to
 * its key that began within a minute of it.
 */
public final class UploadRecords {
    private static final Duration OLD = Duration.ofDays(1);
    private static final Duration NEAR = Duration.ofMinutes(1);

    private final Path directory;
    private final Set<StoreUrl> swept = ConcurrentHashMap.newKeySet();

    /** {@code directory} is made when it is needed. */
    public UploadRecords(Path directory) {
        this.directory = directory;
    }

    /** An upload under way. */
    record Begun(Path file, String head) {
        void is(String id) throws IOException {
            Files.writeString(file, head + id + '\n');
        }

        void ended() throws IOException {
            Files.deleteIfExists(file);
        }
    }

    Begun begin(StoreUrl url, String key) throws IOException {
        Files.createDirectories(directory,
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        var file = directory.resolve("%s-%016x".formatted(ProcessMark.own().text(),
                ThreadLocalRandom.current().nextLong()));
        String head = url + "\n" + URLEncoder.encode(key, StandardCharsets.UTF_8) + "\n";
        Files.writeString(file, head);
        return new Begun(file, head);
    }

    /** Aborts what dead processes left in this bucket; once, and never fails for what it cannot abort. */
    void sweep(StoreUrl url, ObjectStore store) throws IOException {
        if (!swept.add(url) || !Files.isDirectory(directory)) {
            return;
        }
        try (var files = Files.newDirectoryStream(directory)) {
            for (var file : files) {
                if (isLeft(file)) {
                    abort(file, url, store);
                }
            }
        }
    }

    private static boolean isLeft(Path file) throws IOException {
        String name = file.getFileName().toString();
        int end = name.indexOf('-');
        return end > 0 && switch (new ProcessMark(name.substring(0, end)).state()) {
            case GONE -> true;
            case ALIVE -> false;
            case UNKNOWN -> Files.getLastModifiedTime(file).toInstant().isBefore(Instant.now().minus(OLD));
        };
    }

    private static void abort(Path file, StoreUrl url, ObjectStore store) throws IOException {
        List<String> lines = Files.readAllLines(file);
        if (lines.size() < 2 || !lines.get(0).equals(url.toString())) {
            return;
        }
        String key = URLDecoder.decode(lines.get(1), StandardCharsets.UTF_8);
        var begun = Files.getLastModifiedTime(file).toInstant();
        try {
            for (var left : store.unfinished(key)) {
                if (lines.size() > 2 ? left.id().equals(lines.get(2)) : left.key().equals(key) && isNear(left, begun)) {
                    store.discard(left);
                }
            }
            Files.deleteIfExists(file);
        } catch (IOException unreachable) {
            // the record stays for the next one
        }
    }

    private static boolean isNear(UnfinishedUpload left, Instant begun) {
        return Duration.between(begun, left.started()).abs().compareTo(NEAR) < 0;
    }
}
