package volsh.volume;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import volsh.disk.Disk;

/**
 * Which volumes and stores there are: one small file each, replaced in one step. Readers need no lock; whoever changes
 * something holds the catalog's lock, also against other processes.
 */
final class Catalog {
    private static final String SUFFIX = ".json";

    private final Path directory;
    private final Disk disk;

    Catalog(Path directory, Disk disk) {
        this.directory = directory;
        this.disk = disk;
    }

    interface Reader<T> {
        T read(byte[] bytes) throws IOException;
    }

    interface Action<T> {
        T run() throws IOException;
    }

    /** Runs the action while no other process changes the catalog. */
    synchronized <T> T exclusively(Action<T> action) throws IOException {
        disk.makeDirectories(directory);
        try (var channel = FileChannel.open(directory.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                var held = lock(channel)) {
            assert held.isValid();
            return action.run();
        }
    }

    /** Waits for the lock, also for another catalog object of this very process, which Java refuses to wait for. */
    private static FileLock lock(FileChannel channel) throws IOException {
        while (true) {
            try {
                return channel.lock();
            } catch (OverlappingFileLockException held) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
                if (Thread.currentThread().isInterrupted()) {
                    throw new InterruptedIOException("interrupted while waiting for the catalog");
                }
            }
        }
    }

    <T> Optional<T> find(String kind, String name, Reader<T> reader) throws IOException {
        var path = path(kind, name);
        try {
            return Optional.of(reader.read(Files.readAllBytes(path)));
        } catch (NoSuchFileException none) {
            return Optional.empty();
        } catch (IOException damaged) {
            throw new IOException("catalog entry %s cannot be read: %s".formatted(path, damaged.getMessage()), damaged);
        }
    }

    /** Everything of a kind, by name. */
    <T> List<T> list(String kind, Reader<T> reader) throws IOException {
        var found = new ArrayList<T>();
        for (var name : names(kind)) {
            find(kind, name, reader).ifPresent(found::add);
        }
        return found;
    }

    List<String> names(String kind) throws IOException {
        return disk.list(directory.resolve(kind)).stream()
                .map(Disk.Listed::name)
                .filter(name -> name.endsWith(SUFFIX) && !name.startsWith("."))
                .map(name -> name.substring(0, name.length() - SUFFIX.length()))
                .sorted()
                .toList();
    }

    /** Writes the entry so that it survives power loss. The caller holds the lock. */
    void put(String kind, String name, byte[] bytes) throws IOException {
        var folder = directory.resolve(kind);
        disk.makeDirectories(folder);
        var temporary = folder.resolve("." + name + ".tmp");
        disk.delete(temporary);
        try (var file = disk.create(temporary)) {
            file.write(ByteBuffer.wrap(bytes), 0);
            file.sync();
        }
        disk.rename(temporary, path(kind, name));
        disk.syncDirectory(folder);
    }

    void remove(String kind, String name) throws IOException {
        disk.delete(path(kind, name));
        disk.syncDirectory(directory.resolve(kind));
    }

    private Path path(String kind, String name) {
        return directory.resolve(kind).resolve(name + SUFFIX);
    }
}
