package volsh.command.shard;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import volsh.catalog.Access;
import volsh.catalog.VolumePath;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.command.file.AtOption;
import volsh.command.object.OpenPlaces;
import volsh.command.object.PlaceFlags;
import volsh.dataset.ObjectDirectory;
import volsh.dataset.DatasetDirectory;
import volsh.dataset.LocalDirectory;
import volsh.dataset.VolumeDirectory;
import volsh.dataset.shards.ShardFile;
import volsh.dataset.shards.ShardPattern;
import volsh.fs.Closeables;
import volsh.fs.Owner;
import volsh.tree.Place;
import volsh.tree.Places;
import volsh.tree.TreeEntry;
import volsh.volume.OpeningRequest;
import volsh.volume.Volume;
import volsh.volume.Volumes;

/**
 * The directories and shards that the words of one command name, on local disks, in volumes and in buckets, each opened
 * once.
 */
final class DatasetPlaces implements AutoCloseable {
    private final Volumes volumes;
    private final Owner owner;
    private final String purpose;
    private final String written;
    private final OpenPlaces urls;
    private final Map<String, Volume> open = new LinkedHashMap<>();

    /** Only reads. */
    DatasetPlaces(Session session, String purpose, PlaceFlags flags) throws Exception {
        this(session, purpose, flags, "");
    }

    /** @param target the word of the place that is written */
    DatasetPlaces(Session session, String purpose, PlaceFlags flags, String target) throws Exception {
        this.urls = new OpenPlaces(session, Access.READ, "shard " + purpose, flags, new AtOption());
        this.volumes = session.service(Volumes.class);
        this.owner = session.service(Owner.class);
        this.purpose = "shard " + purpose;
        this.written = volumeOf(target);
    }

    /** The volume that a word names; empty for local files. */
    static String volumeOf(String word) {
        return isStored(word) ? VolumePath.of(word).volume() : "";
    }

    static boolean isStored(String word) {
        if (Places.isUrl(word) || !VolumePath.isOne(word)) {
            return false;
        }
        try {
            VolumePath.of(word);
            return true;
        } catch (IllegalArgumentException local) {
            return false;
        }
    }

    /** Refuses shards within the files that are packed: the next pack would take them for samples. */
    static void requireApart(String source, String target) {
        boolean within = isStored(source) && isStored(target)
                ? VolumePath.of(source).source().equals(VolumePath.of(target).source())
                        && Path.of(VolumePath.of(target).path()).startsWith(Path.of(VolumePath.of(source).path()))
                : Places.isUrl(source) || Places.isUrl(target)
                ? (target + "/").startsWith(source.endsWith("/") ? source : source + "/")
                : !isStored(source) && !isStored(target) && !source.equals("-") && Files.isDirectory(Path.of(source))
                        && Path.of(target).toAbsolutePath().normalize()
                                .startsWith(Path.of(source).toAbsolutePath().normalize());
        if (within) {
            throw CommandFailure.usage("%s lies within %s: shards would be packed as samples the next time".formatted(
                    target, source));
        }
    }

    DatasetDirectory directory(String word) throws IOException {
        if (Places.isUrl(word)) {
            return switch (urls.place(word)) {
                case Place.Local local -> new LocalDirectory(local.path());
                case Place.InBucket object -> new ObjectDirectory(urls.trees(), object);
                case Place.InVolume volume -> throw new IllegalStateException("a URL of a volume: " + volume);
            };
        }
        if (!isStored(word)) {
            return new LocalDirectory(Path.of(word));
        }
        var path = VolumePath.of(word);
        return new VolumeDirectory(volume(path).vfs(), path.source(), path.path(), owner);
    }

    /** The place to write to, which may be missing. */
    DatasetDirectory target(String word) throws IOException {
        if (isStored(word) && VolumePath.of(word).moment().isPresent()) {
            throw CommandFailure.of(ExitCode.PERMISSION, "FS-0030", word + ": snapshots are read-only");
        }
        if (!Places.isUrl(word) && !isStored(word) && Files.exists(Path.of(word))
                && !Files.isDirectory(Path.of(word))) {
            throw CommandFailure.of(ExitCode.CONFLICT, "FS-0020", word + ": not a directory");
        }
        return directory(word);
    }

    Volume volume(VolumePath path) throws IOException {
        var volume = open.get(path.source());
        if (volume == null) {
            volume = path.moment().isPresent()
                    ? volumes.open(OpeningRequest.past(path.volume(), path.moment().get(), purpose))
                    : volumes.open(path.volume(), path.volume().equals(written) ? Access.WRITE : Access.READ, purpose);
            open.put(path.source(), volume);
        }
        return volume;
    }

    boolean isDirectory(String word) throws IOException {
        if (Places.isUrl(word)) {
            return urls.tree(urls.place(word)).find("").filter(TreeEntry::isDirectory).isPresent();
        }
        if (!isStored(word)) {
            return Files.isDirectory(Path.of(word));
        }
        var path = VolumePath.of(word);
        try {
            return volume(path).paths().resolve(path.path()).isDirectory();
        } catch (volsh.fs.FsException missing) {
            if (missing.error() == volsh.fs.FsError.NO_ENTRY) {
                return false;
            }
            throw missing;
        }
    }

    /** The shards that the words name, in their order: files, patterns with braces and stars, directories. */
    List<ShardFile> shards(List<String> words) throws IOException {
        var shards = new ArrayList<ShardFile>();
        for (String word : words) {
            for (String one : ShardPattern.expanded(word)) {
                shards.addAll(named(one));
            }
        }
        return shards;
    }

    /** The single shard that a word names. */
    ShardFile one(String word) throws IOException {
        var found = shards(List.of(word));
        if (found.size() > 1) {
            throw CommandFailure.usage("%s: %d shards, where one is needed".formatted(word, found.size()))
                    .hint("volsh shard list '%s'".formatted(word));
        }
        return found.getFirst();
    }

    private List<ShardFile> named(String word) throws IOException {
        int slash = word.lastIndexOf('/');
        var name = word.substring(slash + 1);
        boolean top = slash == 0 || slash > 0 && (word.charAt(slash - 1) == ':' || word.charAt(slash - 1) == '/');
        var parent = slash < 0 ? "." : word.substring(0, top ? slash + 1 : slash);
        if (ShardPattern.isGlob(name)) {
            return some(word, ShardPattern.matching(directory(parent), name));
        }
        if (isDirectory(word)) {
            return some(word, ShardPattern.all(directory(word)));
        }
        var directory = directory(parent);
        if (directory.size(name).isEmpty()) {
            throw noShard(word, "no such shard");
        }
        return List.of(new ShardFile(directory, name));
    }

    private static List<ShardFile> some(String word, List<ShardFile> found) {
        if (found.isEmpty()) {
            throw noShard(word, "no shards");
        }
        return found;
    }

    static CommandFailure missing(String word, String what) {
        return CommandFailure.of(ExitCode.NOT_FOUND, "SHARD-0003", "%s: %s".formatted(word, what));
    }

    private static CommandFailure noShard(String word, String what) {
        return missing(word, what).hint("make shards of files: volsh shard pack --help");
    }

    @Override
    public void close() throws IOException {
        try (urls) {
            Closeables.closeAll(List.copyOf(open.values()).reversed(), Volume::close);
        } finally {
            open.clear();
        }
    }
}
