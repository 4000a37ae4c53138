package volsh.command.cache;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import volsh.cache.disk.DirectoryUsage;
import volsh.cache.disk.VolumeCache;
import volsh.catalog.Refusal;
import volsh.command.Session;
import volsh.disk.OsDisk;
import volsh.mount.Mounts;
import volsh.volume.Volumes;

/** Finds the caches that a directory or a volume selects, and the mounts that use them. */
final class Places {
    private final Volumes volumes;
    private final Mounts mounts;
    private final List<Used> used = new ArrayList<>();

    /** A volume's part of a cache directory that a mount uses. */
    private record Used(Path mountPoint, DirectoryUsage usage) {}

    /** The cache of a volume in a directory; {@code name} is its id if this home does not know the volume. */
    record Found(VolumeCache cache, String name, Optional<Path> mountPoint, Optional<DirectoryUsage> usage) {}

    Places(Session session) throws Exception {
        this.volumes = session.service(Volumes.class);
        this.mounts = session.service(Mounts.class);
        for (var status : mounts.list()) {
            if (status.state() == Mounts.State.OK) {
                var mountPoint = status.record().mountPoint();
                mounts.stats(mountPoint).directories().forEach(usage -> used.add(new Used(mountPoint, usage)));
            }
        }
    }

    /**
     * The caches that these words select; without words, those of mounts.
     *
     * @throws Refusal NOT_FOUND for an unknown word
     */
    List<Found> find(List<String> words) throws IOException {
        var found = new ArrayList<Found>();
        for (var directory : inUse()) {
            if (words.isEmpty()) {
                found.addAll(in(directory));
            }
        }
        for (var word : words) {
            found.addAll(word.contains("/") || Files.isDirectory(Path.of(word)) ? directory(word) : volume(word));
        }
        return found;
    }

    private Set<Path> inUse() {
        var directories = new LinkedHashSet<Path>();
        used.forEach(one -> directories.add(one.usage().directory().getParent()));
        return directories;
    }

    private List<Found> directory(String word) throws IOException {
        var directory = Path.of(word).toAbsolutePath().normalize();
        if (!Files.isDirectory(directory)) {
            throw new Refusal(Refusal.Reason.NOT_FOUND, "no such directory: " + directory);
        }
        return in(directory);
    }

    private List<Found> volume(String name) throws IOException {
        var id = volumes.find(name).id();
        var found = new ArrayList<Found>();
        for (var directory : inUse()) {
            found.addAll(in(directory).stream().filter(one -> one.cache().volume().equals(id)).toList());
        }
        if (found.isEmpty()) {
            throw new Refusal(Refusal.Reason.NOT_FOUND, "no mount of volume '%s' has a cache directory".formatted(name),
                    "name the cache directory instead of the volume");
        }
        return found;
    }

    /** Includes caches that a mount reports even if the disk has vanished. */
    private List<Found> in(Path directory) throws IOException {
        var disk = new OsDisk();
        var caches = new LinkedHashMap<Path, VolumeCache>();
        for (var cache : VolumeCache.in(disk, directory)) {
            caches.put(directory.resolve(cache.volume().toString()), cache);
        }
        var found = new ArrayList<Found>();
        for (var one : used) {
            var root = one.usage().directory();
            if (directory.equals(root.getParent())) {
                var id = UUID.fromString(root.getFileName().toString());
                caches.remove(root);
                var cache = new VolumeCache(disk, directory, id);
                found.add(new Found(cache, name(id), Optional.of(one.mountPoint()), Optional.of(one.usage())));
            }
        }
        for (var idle : caches.values()) {
            found.add(new Found(idle, name(idle.volume()), Optional.empty(), Optional.empty()));
        }
        return found;
    }

    private String name(UUID id) throws IOException {
        for (var spec : volumes.readable()) {
            if (spec.id().equals(id)) {
                return spec.name();
            }
        }
        return id.toString();
    }

    /** The directories that a target's data is cached in, for people. */
    static String named(Targets.Target target, CacheChoice choice) {
        var directories = target.mount().isPresent()
                ? target.mount().get().directories().stream().map(usage -> usage.directory().getParent()).toList()
                : choice.directories();
        return String.join(", ", directories.stream().map(Path::toString).toList());
    }

    /** Tells the mount that uses it that files are gone. */
    void tell(Found found) throws IOException {
        if (found.mountPoint().isPresent()) {
            mounts.recount(found.mountPoint().get());
        }
    }
}
