package volsh.checkpoint;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashMap;
import java.util.UUID;
import volsh.disk.LocalTrees;
import volsh.fs.Attributes;
import volsh.transfer.Get;
import volsh.transfer.Observer;
import volsh.vfs.Vfs;
import volsh.volume.Refusal;
import volsh.volume.Refusal.Reason;

/** Brings a checkpoint to a local directory: copied beside it, compared, then moved there in one step. */
final class Restoring {
    private final Vfs vfs;
    private final int parallel;
    private final Observer observer;

    Restoring(Vfs vfs, int parallel, Observer observer) {
        this.vfs = vfs;
        this.parallel = parallel;
        this.observer = observer;
    }

    void run(Checkpoint checkpoint, Attributes source, Path target, boolean replace) throws IOException {
        Path place = target.toAbsolutePath().normalize();
        requireRoom(place, replace);
        Path fresh = place.resolveSibling("." + place.getFileName() + "-" + UUID.randomUUID());
        Files.createDirectory(fresh);
        try {
            copy(checkpoint, source, fresh);
            compare(checkpoint.manifest().orElseThrow(), fresh);
            Files.delete(fresh.resolve(Manifest.NAME));
            swap(fresh, place);
        } finally {
            LocalTrees.remove(fresh);
        }
    }

    private static void requireRoom(Path place, boolean replace) throws IOException {
        if (place.getFileName() == null) {
            throw new Refusal(Reason.INVALID, "%s cannot be replaced".formatted(place));
        }
        if (!Files.isDirectory(place.getParent())) {
            throw new Refusal(Reason.NOT_FOUND, "%s: no such directory".formatted(place.getParent()));
        }
        if (Files.isDirectory(place)) {
            try (var files = Files.list(place)) {
                if (!replace && files.findAny().isPresent()) {
                    throw new Refusal(Reason.CONFLICT, "%s is not empty".formatted(place)).detail("with --force what it holds is replaced");
                }
            }
        } else if (Files.exists(place)) {
            throw new Refusal(Reason.CONFLICT, "%s is a file".formatted(place));
        }
    }

    private void copy(Checkpoint checkpoint, Attributes source, Path fresh) throws IOException {
        try (var get = new Get(vfs, false, parallel, observer)) {
            get.addContents(checkpoint.path(), source, fresh);
            if (get.finish().failed() > 0) {
                throw new IOException("not every file could be read, so nothing was restored");
            }
        }
    }

    private void compare(Manifest manifest, Path fresh) throws IOException {
        var digests = new HashMap<String, Manifest.Entry>();
        for (var copied : Digests.below(fresh, parallel, observer)) {
            digests.put(copied.entry().path(), copied.entry());
        }
        for (var file : manifest.files()) {
            if (!file.isSame(digests.get(file.path()))) {
                throw new Refusal(Reason.DAMAGED, "%s is not what was saved, so nothing was restored".formatted(file.path()),
                        "volsh checkpoint list");
            }
        }
    }

    /** An empty directory is replaced by a rename; one that holds something moves away first and goes last. */
    private static void swap(Path fresh, Path place) throws IOException {
        Path old = place.resolveSibling("." + place.getFileName() + "-" + UUID.randomUUID());
        boolean there = Files.isDirectory(place);
        if (there) {
            Files.move(place, old, StandardCopyOption.ATOMIC_MOVE);
        }
        try {
            Files.move(fresh, place, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException failed) {
            if (there) {
                Files.move(old, place, StandardCopyOption.ATOMIC_MOVE);
            }
            throw failed;
        }
        LocalTrees.remove(old);
    }
}
