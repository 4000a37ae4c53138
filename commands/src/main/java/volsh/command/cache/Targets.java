package volsh.command.cache;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import volsh.cache.disk.DirectoryUsage;
import volsh.catalog.Refusal;
import volsh.catalog.Refusal.Reason;
import volsh.catalog.VolumePath;
import volsh.command.Session;
import volsh.fs.ShellWord;
import volsh.mount.MountRecord;
import volsh.mount.Mounts;

/** Finds the cache of a path: that of its mount, of the only mount of its volume with a cache, or named directories. */
final class Targets {
    private final CacheChoice choice;
    private final List<Mounted> mounts = new ArrayList<>();

    /** A mount that answers, and its cache directories. */
    record Mounted(MountRecord record, List<DirectoryUsage> directories) {
        Path mountPoint() {
            return record.mountPoint();
        }

        boolean uses(Path directory) {
            return directories.stream().anyMatch(usage -> directory.equals(usage.directory().getParent()));
        }
    }

    /** Paths of a volume, and the mount whose cache is used; without a mount, the named directories. */
    record Target(String volume, Optional<Mounted> mount, List<String> paths) {
        String place(String path) {
            return volume + ":" + path;
        }

        @Override
        public String toString() {
            return String.join(" ", paths.stream().map(this::place).toList());
        }
    }

    private record Owner(String volume, Optional<Mounted> mount) {}

    Targets(Session session, CacheChoice choice) throws Exception {
        this.choice = choice;
        var all = session.service(Mounts.class);
        for (var status : all.list()) {
            if (status.state() == Mounts.State.OK) {
                mounts.add(new Mounted(status.record(), all.stats(status.record().mountPoint()).directories()));
            }
        }
    }

    List<Mounted> mounts() {
        return mounts;
    }

    /** The mounts that these words select, by directory or volume; without words, all. @throws Refusal NOT_FOUND */
    List<Mounted> mounts(List<String> words) throws Refusal {
        var chosen = new ArrayList<Mounted>();
        for (var word : words) {
            var named = mounts.stream().filter(mount -> mount.record().source().volume().equals(word)).toList();
            chosen.addAll(named);
            mountOf(word).ifPresent(chosen::add);
            if (named.isEmpty() && mountOf(word).isEmpty()) {
                throw new Refusal(Reason.NOT_FOUND, "no mount of this home answers for '%s'".formatted(word),
                        "volsh mounts list");
            }
        }
        return words.isEmpty() ? mounts : chosen;
    }

    /**
     * The mount that a path is on. A word without a slash counts only if it is a mount point and not a volume's name.
     */
    Optional<Mounted> mountOf(String word) {
        if (VolumePath.isOne(word)) {
            return Optional.empty();
        }
        var path = Path.of(word).toAbsolutePath().normalize();
        if (!word.contains("/") && mounts.stream().noneMatch(mount -> path.equals(mount.mountPoint()))) {
            return Optional.empty();
        }
        if (mounts.stream().anyMatch(mount -> mount.record().source().volume().equals(word))) {
            return Optional.empty();
        }
        return mounts.stream().filter(mount -> path.startsWith(mount.mountPoint()))
                .reduce((one, other) -> one.mountPoint().getNameCount() > other.mountPoint().getNameCount()
                        ? one : other);
    }

    /** Where the kernel finds a path: on its mount, or on one of its volume. @throws Refusal NOT_FOUND if on none */
    Path mounted(String word) throws Refusal {
        if (mountOf(word).isPresent()) {
            return Path.of(word).toAbsolutePath().normalize();
        }
        return shown(word).getFirst().local();
    }

    /** A path as a mount of this machine shows it. */
    record Shown(Mounted mount, VolumePath path, Path local) {
        Target target() {
            return new Target(path.volume(), Optional.of(mount), List.of(normal(path.path())));
        }
    }

    /** The path in its volume of a word that names one, or a path on a mount. @throws Refusal NOT_FOUND */
    VolumePath inVolume(String word) throws Refusal {
        var on = mountOf(word);
        return on.isPresent() ? within(on.get(), word) : VolumePath.isOne(word) ? VolumePath.of(word)
                : volumePath(word);
    }

    /** All mounts of this machine that show a path. @throws Refusal NOT_FOUND if none does */
    List<Shown> shown(String word) throws Refusal {
        var path = inVolume(word);
        var shown = new ArrayList<Shown>();
        for (var mount : mounts) {
            var source = mount.record().source();
            var from = Path.of(normal(source.path()));
            var below = Path.of(normal(path.path()));
            if (source.volume().equals(path.volume()) && below.startsWith(from)
                    && source.place().flatMap(VolumePath::moment).equals(path.moment())) {
                shown.add(new Shown(mount, path, mount.mountPoint().resolve(from.relativize(below).toString())));
            }
        }
        if (shown.isEmpty()) {
            throw new Refusal(Reason.NOT_FOUND, "%s is on no mount of this machine".formatted(word),
                    "volsh mount %1$s ./%1$s".formatted(path.volume()));
        }
        return shown;
    }

    /** Whether the path is on a mount without cache directories, and no others are named. */
    boolean hasNoCache(String word) throws Refusal {
        var on = mountOf(word);
        return choice.directories().isEmpty() && (on.isPresent() ? on.get().directories().isEmpty()
                : mountFor(volumePath(word).volume()).isEmpty());
    }

    /** @throws Refusal NOT_FOUND if there is no cache for one of them */
    List<Target> find(List<String> words) throws IOException {
        var paths = new LinkedHashMap<Owner, List<String>>();
        for (var word : words) {
            var on = mountOf(word);
            var path = on.isPresent() ? within(on.get(), word) : volumePath(word);
            var mount = on.isPresent() ? on : mountFor(path.volume());
            requireCache(path.volume(), mount);
            paths.computeIfAbsent(new Owner(path.volume(), mount), first -> new ArrayList<>()).add(normal(path.path()));
        }
        return targets(paths);
    }

    /** The mount of this volume with the named cache directories, or with any; empty if there is none. */
    private Optional<Mounted> mountFor(String volume) throws Refusal {
        var named = choice.directories();
        var able = mounts.stream()
                .filter(mount -> mount.record().source().volume().equals(volume) && !mount.directories().isEmpty())
                .filter(mount -> named.isEmpty() || named.stream().allMatch(mount::uses)).toList();
        if (able.size() > 1) {
            throw new Refusal(Reason.CONFLICT, "%d mounts of volume '%s' have cache directories: %s".formatted(
                    able.size(), volume, String.join(", ", able.stream().map(mount -> mount.mountPoint().toString())
                            .toList())), "name a path on one of these mounts instead");
        }
        return able.stream().findFirst();
    }

    private void requireCache(String volume, Optional<Mounted> mount) throws Refusal {
        if (mount.isPresent() && mount.get().directories().isEmpty()) {
            throw new Refusal(Reason.NOT_FOUND, "the mount on %s has no cache directory".formatted(
                    mount.get().mountPoint()), "volsh umount %2$s && volsh mount %1$s %2$s --cache-dir ./cache"
                    .formatted(volume, ShellWord.of(mount.get().mountPoint())));
        }
        if (mount.isEmpty() && choice.directories().isEmpty()) {
            throw new Refusal(Reason.NOT_FOUND, "no mount of volume '%s' has a cache directory".formatted(volume),
                    "add --cache-dir ./cache");
        }
    }

    private List<Target> targets(Map<Owner, List<String>> paths) {
        return paths.entrySet().stream()
                .map(entry -> new Target(entry.getKey().volume(), entry.getKey().mount(), entry.getValue())).toList();
    }

    static String normal(String path) {
        return Path.of("/" + path).normalize().toString();
    }

    private static VolumePath within(Mounted mount, String word) throws Refusal {
        var source = mount.record().source().volumePath();
        var below = mount.mountPoint().relativize(Path.of(word).toAbsolutePath().normalize());
        return source.at(normal(source.path() + "/" + below));
    }

    private static VolumePath volumePath(String word) throws Refusal {
        if (!VolumePath.isOne(word)) {
            throw new Refusal(Reason.NOT_FOUND, "%s is not on a mount of volsh".formatted(word), "volsh mounts list",
                    "or name it as VOLUME:/path");
        }
        return VolumePath.of(word).present();
    }
}
