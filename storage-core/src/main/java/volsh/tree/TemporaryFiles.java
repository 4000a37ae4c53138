package volsh.tree;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Pattern;
import volsh.proc.ProcessMark;

/**
 * Files under temporary names beside those that they become. What a killed process has left is removed where its files
 * are written again: its own at once, as the name tells the process; those of other machines, and unfinished files that
 * another attempt could go on with, after a day. Never one that is being written. Thread-safe.
 */
final class TemporaryFiles {
    static final String PREFIX = ".volsh-";
    /** Beside a file that can be gone on with: the list of its parts, locked by the process that writes it. */
    static final String PARTS = ".parts";
    /** Of a process; of an earlier version; of a file that can be gone on with, or its list. */
    private static final Pattern OURS = Pattern.compile("\\.volsh-(?:(?<process>[0-9a-f]{8}(?:\\.[0-9]+){3})-"
            + "[0-9a-f]{16}|[0-9a-f]{16}|[0-9a-f]{12}-[0-9a-f]{12}(?<list>\\.parts)?)");
    private static final Duration OLD = Duration.ofDays(1);
    private static final int REMEMBERED = 64;

    private final Set<Path> swept = new LinkedHashSet<>();      // guarded by itself, as below
    private final List<Path> unfinished = new ArrayList<>();

    static Path beside(Path target) {
        return target.resolveSibling("%s%s-%016x".formatted(PREFIX, ProcessMark.own().text(),
                ThreadLocalRandom.current().nextLong()));
    }

    static boolean isOne(String name) {
        return name.startsWith(PREFIX);
    }

    /** Looks through a directory in which a file will be written; not again while it was among the last. */
    void sweep(Path directory) throws IOException {
        synchronized (swept) {
            if (!swept.add(directory)) {
                return;
            }
            if (swept.size() > REMEMBERED) {
                Iterator<Path> oldest = swept.iterator();
                oldest.next();
                oldest.remove();
            }
        }
        try (var files = Files.newDirectoryStream(directory, PREFIX + "*")) {
            for (var file : files) {
                found(file);
            }
        } catch (NoSuchFileException none) {
            // nothing is left there
        }
    }

    /** One of this name was seen where files are written. Other programs have names that begin in the same way. */
    void found(Path file) throws IOException {
        var name = OURS.matcher(file.getFileName().toString());
        if (!name.matches()) {
            return;
        }
        if (name.group("list") != null) {
            if (!removeUnfinished(file, Instant.now().minus(OLD))) {
                synchronized (swept) {
                    unfinished.add(file);
                }
            }
            return;
        }
        switch (new ProcessMark(Objects.requireNonNullElse(name.group("process"), "")).state()) {
            case GONE -> Files.deleteIfExists(file);
            case ALIVE -> { }
            case UNKNOWN -> removeIfOld(file);
        }
    }

    /** Of another machine, of an earlier version, or unfinished: its list of parts goes with it, and says more. */
    private static void removeIfOld(Path file) throws IOException {
        boolean listed = Files.exists(file.resolveSibling(file.getFileName() + PARTS), LinkOption.NOFOLLOW_LINKS);
        if (!listed && isBefore(file, Instant.now().minus(OLD))) {
            Files.deleteIfExists(file);
        }
    }

    private static boolean isBefore(Path file, Instant time) throws IOException {
        try {
            return Files.getLastModifiedTime(file, LinkOption.NOFOLLOW_LINKS).toInstant().isBefore(time);
        } catch (NoSuchFileException gone) {
            return false;
        }
    }

    /** All files are copied: those that were seen unfinished will not be continued. */
    void complete() throws IOException {
        List<Path> lists;
        synchronized (swept) {
            lists = List.copyOf(unfinished);
            unfinished.clear();
        }
        for (var list : lists) {
            removeUnfinished(list, Instant.MAX);
        }
    }

    /** Removes a list of parts and its file, if no process writes it and its last part was written before this time. */
    static boolean removeUnfinished(Path list, Instant before) throws IOException {
        if (!isBefore(list, before)) {
            return !Files.exists(list, LinkOption.NOFOLLOW_LINKS);
        }
        try (var log = FileChannel.open(list, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS)) {
            if (log.tryLock() == null) {
                return false;
            }
            String name = list.getFileName().toString();
            Files.deleteIfExists(list.resolveSibling(name.substring(0, name.length() - PARTS.length())));
            Files.deleteIfExists(list);
            return true;
        } catch (OverlappingFileLockException another) {
            return false;
        } catch (NoSuchFileException gone) {
            return true;
        }
    }
}
