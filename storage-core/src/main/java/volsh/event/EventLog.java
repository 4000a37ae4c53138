package volsh.event;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/**
 * The events of a home, a line of JSON each, written by all its processes. Files are rotated when full; {@value #OLD}
 * old ones are kept. Adding an event never fails: one that cannot be written is lost.
 */
public final class EventLog {
    private static final int OLD = 3;
    private static final long SIZE_MAX = 1 << 20;
    private static final int TEXT_MAX = 4_000;
    private static final int TRIES = 100;

    private final Path directory;
    private final long sizeMax;

    /** In this directory, which is created with the first event. */
    public EventLog(Path directory) {
        this(directory, SIZE_MAX);
    }

    EventLog(Path directory, long sizeMax) {
        this.directory = directory;
        this.sizeMax = sizeMax;
    }

    /** Adds an event. */
    public void add(Happening.Level level, String kind, String subject, String text) {
        var shortened = text.length() > TEXT_MAX ? text.substring(0, TEXT_MAX) + "…" : text;
        try {
            append(new Happening(Instant.now(), level, kind, subject, shortened.replace('\n', ' '),
                    ProcessHandle.current().pid()).line());
        } catch (IOException lost) {
            // a lost event is no reason to fail
        }
    }

    private void append(byte[] line) throws IOException {
        Files.createDirectories(directory,
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        long size;
        try (var file = FileChannel.open(file(0), Set.of(StandardOpenOption.CREATE, StandardOpenOption.APPEND),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
            file.write(ByteBuffer.wrap(line));   // one call: lines of several processes do not mix
            size = file.size();
        }
        if (size > sizeMax) {
            turn();
        }
    }

    /** Only one process rotates the files, and only if it has not been done meanwhile. */
    private void turn() throws IOException {
        try (var lock = FileChannel.open(directory.resolve("lock"),
                Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE), PosixFilePermissions.asFileAttribute(
                PosixFilePermissions.fromString("rw-------"))); var held = lock.tryLock()) {
            if (held == null || Files.size(file(0)) <= sizeMax) {
                return;
            }
            for (int i = OLD; i > 0; i--) {
                try {
                    Files.move(file(i - 1), file(i), StandardCopyOption.ATOMIC_MOVE);
                } catch (NoSuchFileException none) {
                    // fewer files so far
                }
            }
        } catch (OverlappingFileLockException another) {
            // a thread of this process is rotating them
        }
    }

    private Path file(int number) {
        return directory.resolve(number == 0 ? "events.jsonl" : "events.%d.jsonl".formatted(number));
    }

    /** All events, the oldest first. Invalid lines are skipped. Files that are rotated meanwhile are read again. */
    public List<Happening> read() throws IOException {
        for (int tries = 1; ; tries++) {
            var before = files();
            var all = new ArrayList<Happening>();
            for (int i = OLD; i >= 0; i--) {
                read(file(i), all);
            }
            if (tries == TRIES || files().equals(before)) {
                return all;
            }
        }
    }

    /** The current names of the files. Numbers are reused, so old ones also carry the time of their last line. */
    private List<String> files() throws IOException {
        var keys = new ArrayList<String>();
        for (int i = 0; i <= OLD; i++) {
            try {
                var file = Files.readAttributes(file(i), BasicFileAttributes.class);
                keys.add(file.fileKey() + (i == 0 ? "" : " " + file.lastModifiedTime()));
            } catch (NoSuchFileException none) {
                keys.add("");
            }
        }
        return keys;
    }

    private static void read(Path file, List<Happening> all) throws IOException {
        byte[] bytes;
        try {
            bytes = Files.readAllBytes(file);
        } catch (NoSuchFileException none) {
            return;   // fewer files so far, or just rotated
        }
        int begin = 0;
        for (int at = 0; at < bytes.length; at++) {
            if (bytes[at] == '\n') {
                parsed(Arrays.copyOfRange(bytes, begin, at), all);
                begin = at + 1;
            }
        }
        parsed(Arrays.copyOfRange(bytes, begin, bytes.length), all);
    }

    private static void parsed(byte[] line, List<Happening> all) {
        try {
            all.add(Happening.parse(line));
        } catch (IOException cut) {
            // the disk was full, or the file was edited
        }
    }
}
