package volsh.catalog;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import volsh.catalog.Refusal.Reason;
import volsh.disk.Disk;
import volsh.fs.ReadOnlyDiskException;
import volsh.fs.ShellWord;

/**
 * Which volumes and stores there are: one small file each, replaced in one step and called after what it describes.
 * Readers need no lock; a writer holds the catalog's lock, also against other processes.
 */
public final class Catalog {
    public static final String STORES = "stores";
    public static final String VOLUMES = "volumes";
    public static final String DESTROYING = "destroying";

    private static final String SUFFIX = ".json";
    private static final String TEMPORARY = ".new";   // one at a time: a writer holds the lock

    private final Path directory;
    private final Disk disk;

    public Catalog(Path directory, Disk disk) {
        this.directory = directory;
        this.disk = disk;
    }

    /** Understands the bytes of the entry of this name. */
    public interface Reader<T> {
        T read(String name, byte[] bytes) throws IOException;
    }

    public interface Action<T extends @Nullable Object> {
        T run() throws IOException;
    }

    public Path directory() {
        return directory;
    }

    /**
     * Runs the action while no other process changes the catalog. @throws Refusal BUSY if another one does for too long
     */
    public synchronized <T extends @Nullable Object> T exclusively(Action<T> action) throws IOException {
        try (var held = lock()) {
            assert held.isHeld();
            return action.run();
        }
    }

    private ProcessLock lock() throws IOException {
        try {
            disk.makeDirectories(directory);
            return CatalogLock.take(directory.resolve("lock"));
        } catch (FileSystemException unusable) {
            throw explained(unusable, "written");
        }
    }

    /** @throws Refusal DAMAGED if the entry cannot be understood */
    public <T> Optional<T> find(String kind, String name, Reader<T> reader) throws IOException {
        var path = path(kind, name);
        try {
            return Optional.of(reader.read(name, Files.readAllBytes(path)));
        } catch (NoSuchFileException none) {
            return Optional.empty();
        } catch (FileSystemException unusable) {
            throw explained(unusable, "read");
        } catch (IOException damaged) {
            throw new Refusal(Reason.DAMAGED, "the catalog entry of '%s' is damaged: %s".formatted(name, path), damaged)
                    .detail("restore this file from a copy, or move it away; blocks and metadata were not touched");
        }
    }

    /** Everything of a kind, by name. */
    public <T> List<T> list(String kind, Reader<T> reader) throws IOException {
        var found = new ArrayList<T>();
        for (var name : names(kind)) {
            find(kind, name, reader).ifPresent(found::add);
        }
        return found;
    }

    public List<String> names(String kind) throws IOException {
        try {
            return disk.list(directory.resolve(kind)).stream()
                    .map(Disk.Listed::name)
                    .filter(name -> name.endsWith(SUFFIX) && !name.startsWith("."))
                    .map(name -> name.substring(0, name.length() - SUFFIX.length()))
                    .sorted()
                    .toList();
        } catch (FileSystemException unusable) {
            throw explained(unusable, "read");
        }
    }

    public boolean contains(String kind, String name) {
        return Files.exists(path(kind, name));
    }

    /** Writes the entry so that it survives power loss. The caller holds the lock. */
    public void put(String kind, String name, byte[] bytes) throws IOException {
        var folder = directory.resolve(kind);
        makeKind(kind);
        var temporary = folder.resolve(TEMPORARY);
        disk.delete(temporary);   // left by a kill
        try {
            write(temporary, bytes);
            disk.rename(temporary, path(kind, name));
        } catch (IOException failed) {
            disk.delete(temporary);
            throw failed;
        }
        disk.syncDirectory(folder);
    }

    private void write(Path path, byte[] bytes) throws IOException {
        try (var file = disk.create(path)) {
            file.write(ByteBuffer.wrap(bytes), 0);
            file.sync();
        }
    }

    /** Gives the entry another name in one step. The caller holds the lock. */
    public void rename(String kind, String name, String newName) throws IOException {
        disk.rename(path(kind, name), path(kind, newName));
        disk.syncDirectory(directory.resolve(kind));
    }

    /** Makes the entry one of another kind, in one step. The caller holds the lock. */
    public void move(String kind, String newKind, String name) throws IOException {
        makeKind(newKind);
        disk.rename(path(kind, name), path(newKind, name));
        disk.syncDirectory(directory.resolve(newKind));
        disk.syncDirectory(directory.resolve(kind));
    }

    private void makeKind(String kind) throws IOException {
        disk.makeDirectories(directory.resolve(kind));
    }

    public void remove(String kind, String name) throws IOException {
        disk.delete(path(kind, name));
        disk.syncDirectory(directory.resolve(kind));
    }

    private Path path(String kind, String name) {
        return directory.resolve(kind).resolve(name + SUFFIX);
    }

    /** A home that is not ours to use, said so that it can be mended. */
    private IOException explained(FileSystemException unusable, String verb) {
        if (ReadOnlyDiskException.is(unusable)) {
            String why = "the catalog cannot be %s: %s is on a read-only file system".formatted(verb, directory);
            return new Refusal(Reason.FORBIDDEN, why, unusable,
                    "findmnt -T " + ShellWord.of(directory), "or use another home: VOLSH_HOME=$HOME/.volsh volsh ...");
        }
        boolean ours = unusable instanceof AccessDeniedException || unusable instanceof NotDirectoryException
                || unusable instanceof FileAlreadyExistsException
                || unusable.getReason() != null
                && unusable.getReason().equals("Not a directory");
        if (!ours) {
            return unusable;
        }
        return new Refusal(Reason.FORBIDDEN, "the catalog cannot be %s: %s".formatted(verb, directory), unusable,
                "make that place a directory of yours, mode 0700",
                "or use another home: VOLSH_HOME=$HOME/.volsh volsh ...");
    }
}
