package volsh.tree;

import java.io.IOException;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;
import volsh.block.StoreUrl;
import volsh.object.ObjectHeaders;
import volsh.object.ObjectInfo;
import volsh.object.ObjectStore;
import volsh.object.ObjectUpload;
import volsh.object.PutCondition;
import volsh.object.UnfinishedUpload;
import volsh.proc.ProcessMark;

/**
 * Which uploads this machine has begun, a file for each, named by its process. The next upload of the same state of the
 * same file goes on with what a stopped process left in a bucket; what is of no use any more is aborted, and nothing of
 * other programs is.
 *
 * <p>A record is written before its upload begins, and gets its id afterwards. One without an id stands for uploads to
 * its key that began within a minute of it.
 */
public final class UploadRecords {
    /** An older one is not continued. */
    private static final Duration OLD = Duration.ofDays(1);
    private static final Duration NEAR = Duration.ofMinutes(1);
    private static final Pattern PART = Pattern.compile("(\\d{1,5}) ([A-Za-z0-9+/=]{8})");
    /** Instead of a process: it was stopped, and may still run, but has given the upload up. */
    private static final String LEFT = "left";

    private final Path directory;

    /** {@code directory} is made when it is needed. */
    public UploadRecords(Path directory) {
        this.directory = directory;
    }

    /** A record of this process, of an upload under way. */
    final class Begun {
        private final Path file;
        private final String head;
        private final String state;

        private Begun(Path file, String head, String state) {
            this.file = file;
            this.head = head;
            this.state = state;
        }

        Path file() {
            return file;
        }

        String head() {
            return head;
        }

        private void is(String id) throws IOException {
            Files.writeString(file, head + id + '\n' + state + '\n');
        }

        /** The server has this part; another attempt needs its checksum. */
        private synchronized void has(int number, String crc32c) throws IOException {
            Files.writeString(file, number + " " + crc32c + '\n', StandardOpenOption.APPEND);
        }

        void ended() throws IOException {
            Files.deleteIfExists(file);
        }

        /** Another process, or this one later, may go on with it. */
        void left() throws IOException {
            Files.move(file, fresh(LEFT), StandardCopyOption.ATOMIC_MOVE);
        }
    }

    /** An upload and its record. */
    record Recorded(ObjectUpload upload, Begun record) implements ObjectUpload {
        @Override
        public String id() {
            return upload.id();
        }

        @Override
        public boolean has(int number, long length) {
            return upload.has(number, length);
        }

        @Override
        public void part(int number, ByteBuffer data) throws IOException {
            upload.part(number, data);
            if (!record.state.isEmpty()) {
                record.has(number, crc32c(data));
            }
        }

        private static String crc32c(ByteBuffer data) {
            var crc = new CRC32C();
            crc.update(data.duplicate());
            return Base64.getEncoder().encodeToString(ByteBuffer.allocate(Integer.BYTES).putInt((int) crc.getValue())
                    .array());
        }

        @Override
        public ObjectInfo complete(int count, PutCondition condition) throws IOException {
            return upload.complete(count, condition);
        }

        @Override
        public void close() throws IOException {
            upload.close();
            record.ended();
        }
    }

    /** A record of an upload that no process is at. */
    private record Old(Path file, String key, Optional<String> id, String state, Map<Integer, String> crc32c,
            Instant begun) {
        /** The bucket, key, id and state, then numbers of parts with their checksums; earlier versions end sooner. */
        static Old of(Path file, List<String> lines) throws IOException {
            return new Old(file, URLDecoder.decode(lines.get(1), StandardCharsets.UTF_8),
                    lines.size() > 2 ? Optional.of(lines.get(2)) : Optional.empty(),
                    lines.size() > 3 ? lines.get(3) : "", parts(lines), Files.getLastModifiedTime(file).toInstant());
        }

        private static Map<Integer, String> parts(List<String> lines) {
            var parts = new HashMap<Integer, String>();
            for (String line : lines.subList(Math.min(lines.size(), 4), lines.size())) {
                var part = PART.matcher(line);
                if (part.matches()) {
                    parts.put(Integer.valueOf(part.group(1)), part.group(2));
                }
            }
            return parts;
        }

        boolean isNear(UnfinishedUpload left) {
            return left.key().equals(key) && Duration.between(begun, left.started()).abs().compareTo(NEAR) < 0;
        }
    }

    /** Without how it is reached. */
    private static String bucket(StoreUrl url) {
        return url.path() + ' ' + url.options().getOrDefault("endpoint", "");
    }

    private Path fresh(String process) {
        return directory.resolve("%s-%016x".formatted(process, ThreadLocalRandom.current().nextLong()));
    }

    Begun begin(StoreUrl url, String key, String state) throws IOException {
        Files.createDirectories(directory,
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        String head = bucket(url) + "\n" + URLEncoder.encode(key, StandardCharsets.UTF_8) + "\n";
        var begun = new Begun(fresh(ProcessMark.own().text()), head, state);
        Files.writeString(begun.file, head);
        return begun;
    }

    /**
     * Begins an upload, or goes on with one of the same state, which is not empty, that a process has left; those of
     * other states of the file are aborted.
     */
    Recorded upload(StoreUrl url, ObjectStore store, String key, ObjectHeaders headers, String state)
            throws IOException {
        Optional<Recorded> found = Optional.empty();
        for (var old : left(url)) {
            if (old.key.equals(key)) {
                found = found.isEmpty() && !state.isEmpty() && old.state.equals(state) ? resumed(url, store, old)
                        : found;
                abort(old, store);
            }
        }
        return found.isPresent() ? found.get() : begun(begin(url, key, state), store, key, headers);
    }

    private static Recorded begun(Begun record, ObjectStore store, String key, ObjectHeaders headers)
            throws IOException {
        try {
            var upload = store.upload(key, headers);
            record.is(upload.id());
            return new Recorded(upload, record);
        } catch (IOException | RuntimeException failed) {
            record.ended();
            throw failed;
        }
    }

    /** Takes the record over, which only one process can. */
    private Optional<Recorded> resumed(StoreUrl url, ObjectStore store, Old old) throws IOException {
        String id = old.id.orElse("");
        var mine = begin(url, old.key, old.state);
        try {
            Files.move(old.file, mine.file, StandardCopyOption.ATOMIC_MOVE);
        } catch (NoSuchFileException another) {
            mine.ended();
            return Optional.empty();
        }
        var upload = store.resume(new UnfinishedUpload(old.key, id, old.begun), old.crc32c);
        if (upload.isEmpty()) {
            mine.ended();
        }
        return upload.map(found -> new Recorded(found, mine));
    }

    /**
     * Aborts what is of no use any more: to keys of which all are copied, and what was left long ago anywhere in this
     * bucket. Never fails for what it cannot abort.
     */
    void sweep(StoreUrl url, ObjectStore store, Predicate<String> copied) throws IOException {
        var before = Instant.now().minus(OLD);
        for (var old : left(url)) {
            if (copied.test(old.key) || old.begun.isBefore(before)) {
                abort(old, store);
            }
        }
    }

    /** The records of this bucket that no process is at. */
    private List<Old> left(StoreUrl url) throws IOException {
        if (!Files.isDirectory(directory)) {
            return List.of();
        }
        var found = new ArrayList<Old>();
        try (var files = Files.newDirectoryStream(directory)) {
            for (var file : files) {
                if (isLeft(file)) {
                    List<String> lines = Files.readAllLines(file);
                    if (lines.size() >= 2 && lines.get(0).equals(bucket(url))) {
                        found.add(Old.of(file, lines));
                    }
                }
            }
        } catch (NoSuchFileException another) {
            return left(url);           // another process has taken one over, or removed it
        }
        return found;
    }

    private static boolean isLeft(Path file) throws IOException {
        String name = file.getFileName().toString();
        int end = name.indexOf('-');
        String process = name.substring(0, Math.max(end, 0));
        return process.equals(LEFT) || end > 0 && switch (new ProcessMark(process).state()) {
            case GONE -> true;
            case ALIVE -> false;
            case UNKNOWN -> Files.getLastModifiedTime(file).toInstant().isBefore(Instant.now().minus(OLD));
        };
    }

    private static void abort(Old old, ObjectStore store) throws IOException {
        if (!Files.exists(old.file)) {
            return;                     // taken over
        }
        try {
            if (old.id.isPresent()) {
                store.discard(new UnfinishedUpload(old.key, old.id.get(), old.begun));
            } else {
                for (var left : store.unfinished(old.key)) {
                    if (old.isNear(left)) {
                        store.discard(left);
                    }
                }
            }
            Files.deleteIfExists(old.file);
        } catch (IOException unreachable) {
            // the record stays for the next one
        }
    }
}
