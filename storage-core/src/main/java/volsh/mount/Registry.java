package volsh.mount;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.zip.CRC32C;
import volsh.catalog.Refusal;
import volsh.disk.Disk;

/** The records and sockets of the mounts on this machine, two small files each in a 0700 directory. */
final class Registry {
    private static final String RECORD = ".mount";

    private final Path directory;
    private final Disk disk;

    Registry(Path directory, Disk disk) {
        this.directory = directory;
        this.disk = disk;
    }

    /** Creates the directory, 0700. */
    void prepare() throws IOException {
        disk.makePrivateDirectories(directory);
    }

    /** A new file for the {@link StartResult} of a mount, empty and 0600. */
    Path newResult() throws IOException {
        prepare();
        return Files.createTempFile(directory, "start-", ".json");
    }

    void put(MountRecord record) throws IOException {
        var path = path(record, RECORD);
        var temporary = path.resolveSibling("." + path.getFileName());
        disk.delete(temporary);
        try (var file = disk.create(temporary)) {
            file.write(ByteBuffer.wrap(record.toText().getBytes(StandardCharsets.UTF_8)), 0);
        }
        disk.rename(temporary, path);
    }

    Optional<MountRecord> find(Path mountPoint) throws IOException {
        return read(path(mountPoint, RECORD));
    }

    /** The readable records. */
    List<MountRecord> list() throws IOException {
        var records = new ArrayList<MountRecord>();
        read(records, new ArrayList<>());
        return records;
    }

    /** The files of unreadable records. */
    List<Path> damaged() throws IOException {
        var damaged = new ArrayList<Path>();
        read(new ArrayList<>(), damaged);
        return damaged;
    }

    private void read(List<MountRecord> records, List<Path> damaged) throws IOException {
        for (var file : disk.list(directory)) {
            if (file.name().endsWith(RECORD) && !file.name().startsWith(".")) {
                try {
                    read(directory.resolve(file.name())).ifPresent(records::add);
                } catch (Refusal unreadable) {
                    damaged.add(directory.resolve(file.name()));
                }
            }
        }
    }

    /** @throws Refusal DAMAGED if it is not a valid record */
    private static Optional<MountRecord> read(Path path) throws IOException {
        try {
            return Optional.of(MountRecord.parse(Files.readString(path)));
        } catch (NoSuchFileException none) {
            return Optional.empty();
        } catch (FileSystemException unusable) {
            throw unusable;
        } catch (IOException damaged) {
            throw new Refusal(Refusal.Reason.DAMAGED, "the record of a mount is corrupt: " + path, damaged,
                    "volsh mounts list");
        }
    }

    void remove(MountRecord record) throws IOException {
        disk.delete(path(record, RECORD));
        Files.deleteIfExists(socket(record));
    }

    /** Makes way for another mount on the same directory; returns the new record. */
    MountRecord detach(MountRecord mounted) throws IOException {
        var detached = mounted.asDetached();
        put(detached);   // first: on a full disk this fails, and nothing has changed
        Files.move(socket(mounted), socket(detached), StandardCopyOption.ATOMIC_MOVE);
        disk.delete(path(mounted, RECORD));
        return detached;
    }

    /** The mount there; if there is none, a detached one that still writes. */
    Optional<MountRecord> findAny(Path mountPoint) throws IOException {
        var mounted = find(mountPoint);
        return mounted.isPresent() ? mounted : list().stream()
                .filter(record -> record.detached() && record.mountPoint().equals(mountPoint)).findFirst();
    }

    /** The mount of this process that is or was there. */
    Optional<MountRecord> find(Path mountPoint, long pid) throws IOException {
        return list().stream().filter(record -> record.pid() == pid && record.mountPoint().equals(mountPoint))
                .findFirst();
    }

    /** The control socket of this record's process. */
    Path socket(MountRecord record) {
        return path(record, ".sock");
    }

    private Path path(MountRecord record, String suffix) {
        return record.detached() ? directory.resolve("%s-%d%s".formatted(id(record.mountPoint()), record.pid(), suffix))
                : path(record.mountPoint(), suffix);
    }

    /** The control socket of the mount. */
    Path socket(Path mountPoint) {
        return path(mountPoint, ".sock");
    }

    Path log(Path logs, Path mountPoint) {
        return logs.resolve(id(mountPoint) + ".log");
    }

    private Path path(Path mountPoint, String suffix) {
        return directory.resolve(id(mountPoint) + suffix);
    }

    private static String id(Path mountPoint) {
        var sum = new CRC32C();
        sum.update(mountPoint.toString().getBytes(StandardCharsets.UTF_8));
        return "%08x".formatted(sum.getValue());
    }
}
