package volsh.catalog;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.UUID;
import volsh.disk.Disk;

/**
 * Which cache directories were ever used for a volume on this machine, so that they can be emptied when it is
 * destroyed. A file for each volume, a path in each line. Losing it loses no data: a directory then keeps data that is
 * never used.
 */
public final class KnownCaches {
    private final Disk disk;
    private final Path directory;

    public KnownCaches(Disk disk, Path directory) {
        this.disk = disk;
        this.directory = directory;
    }

    public List<Path> of(UUID volume) throws IOException {
        try (var file = disk.open(directory.resolve(volume.toString()))) {
            var bytes = ByteBuffer.allocate(Math.toIntExact(file.size()));
            file.read(bytes, 0);
            var text = new String(bytes.array(), 0, bytes.position(), StandardCharsets.UTF_8);
            return text.lines().filter(line -> !line.isBlank() && line.indexOf('\0') < 0).map(Path::of).toList();
        } catch (NoSuchFileException none) {
            return List.of();
        }
    }

    public void remember(UUID volume, List<Path> used) throws IOException {
        var known = of(volume);
        var all = new LinkedHashSet<>(known);
        if (all.addAll(used)) {
            write(volume, List.copyOf(all));
        }
    }

    private void write(UUID volume, List<Path> all) throws IOException {
        disk.makeDirectories(directory);
        var unfinished = directory.resolve(volume + "." + ProcessHandle.current().pid());
        disk.delete(unfinished);
        try (var file = disk.create(unfinished)) {
            file.write(ByteBuffer.wrap(String.join("\n", all.stream().map(Path::toString).toList())
                    .getBytes(StandardCharsets.UTF_8)), 0);
            file.sync();
        }
        disk.rename(unfinished, directory.resolve(volume.toString()));
        disk.syncDirectory(directory);
    }

    /**
     * Deletes what is cached of a volume that is no more. What is in use, or cannot be deleted, stays known; it does no
     * harm.
     */
    public void remove(UUID volume) throws IOException {
        var left = new ArrayList<Path>();
        for (var cache : of(volume)) {
            if (!removed(cache.resolve(volume.toString()))) {
                left.add(cache);
            }
        }
        if (left.isEmpty()) {
            disk.delete(directory.resolve(volume.toString()));
        }
    }

    private boolean removed(Path cached) {
        if (!Files.isDirectory(cached, LinkOption.NOFOLLOW_LINKS)) {
            return true;
        }
        try {
            var held = disk.hold(cached);
            empty(cached, held);
            Files.deleteIfExists(cached);
            return true;
        } catch (IOException inUse) {
            return false;
        }
    }

    /** Through what is held: nothing is deleted elsewhere, though others put a link in its place meanwhile. */
    private static void empty(Path cached, Disk held) throws IOException {
        var top = held.through(cached);
        try (var _ = CacheLock.take(cached, held); var all = Files.walk(top)) {
            for (var path : all.sorted(Comparator.reverseOrder()).toList()) {
                if (!path.equals(top)) {
                    Files.deleteIfExists(path);
                }
            }
        }
    }
}
