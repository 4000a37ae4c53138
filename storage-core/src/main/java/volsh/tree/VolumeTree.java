package volsh.tree;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import volsh.catalog.VolumePath;
import volsh.fs.Attributes;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.history.Trees;
import volsh.transfer.Naming;
import volsh.vfs.Pieces;
import volsh.vfs.Vfs;
import volsh.volume.Volume;

/** Files of a volume, or of a past state of it. Does not own the volume. */
final class VolumeTree implements FileTree {
    private static final int DIRECTORY_MODE = 0755;

    private final Volume volume;
    private final Vfs vfs;
    private final VolumePath place;
    private final Owner owner;
    private final Map<String, Long> made = new ConcurrentHashMap<>();
    private @Nullable Pieces pieces;

    VolumeTree(Volume volume, VolumePath place, Owner owner) {
        this.volume = volume;
        this.vfs = volume.vfs();
        this.place = place;
        this.owner = owner;
    }

    @Override
    public String name(String path) {
        return place.at(absolute(path)).toString();
    }

    private String absolute(String path) {
        String top = place.path();
        return path.isEmpty() ? top : top.endsWith("/") ? top + path : top + '/' + path;
    }

    private Attributes attributes(String path) throws IOException {
        try {
            return volume.paths().resolve(absolute(path), path.isEmpty());
        } catch (FsException refused) {
            throw new FsException(refused.error(), name(path) + ": " + refused.error().text());
        }
    }

    @Override
    public Optional<TreeEntry> find(String path) throws IOException {
        try {
            return Optional.of(entry(path, attributes(path)));
        } catch (FsException refused) {
            if (refused.error() == FsError.NO_ENTRY || refused.error() == FsError.NOT_DIRECTORY) {
                return Optional.empty();
            }
            throw refused;
        }
    }

    static TreeEntry entry(String path, Attributes attributes) {
        return new TreeEntry(path, attributes, "", new TreeEntry.Origin.Inode(attributes.ino()));
    }

    @Override
    public TreeCursor children(String path) throws IOException {
        return new VolumeChildren(vfs, attributes(path).ino(), path);
    }

    @Override
    public TreeCursor below(String path) throws IOException {
        return new OrderedWalk(directory -> new VolumeChildren(vfs, ino(directory), directory.path()),
                entry(path, attributes(path)));
    }

    private static long ino(TreeEntry entry) {
        if (entry.origin() instanceof TreeEntry.Origin.Inode(var ino)) {
            return ino;
        }
        throw new IllegalArgumentException("not in a volume: " + entry);
    }

    @Override
    public TreeReader open(TreeEntry file) throws IOException {
        return new VolumeReader(vfs.open(ino(file)), name(file.path()));
    }

    @Override
    public String target(TreeEntry link) throws IOException {
        return new String(vfs.readSymlink(ino(link)), StandardCharsets.UTF_8);
    }

    /** The directory that holds the last name of the path; made if it is missing. */
    private long parent(String path) throws IOException {
        String whole = absolute(path);
        int slash = whole.lastIndexOf('/');
        return directory(whole.substring(0, Math.max(slash, 0)));
    }

    private static Name last(String path) throws IOException {
        return Name.of(path.substring(path.lastIndexOf('/') + 1));
    }

    private long directory(String path) throws IOException {
        if (path.isEmpty()) {
            return Vfs.ROOT;
        }
        var known = made.get(path);
        if (known != null) {
            return known;
        }
        long ino = existing(path);
        made.put(path, ino);
        return ino;
    }

    private long existing(String path) throws IOException {
        try {
            var found = volume.paths().resolve(path, true);
            if (!found.isDirectory()) {
                throw new FsException(FsError.NOT_DIRECTORY, place.at(path) + ": not a directory");
            }
            return found.ino();
        } catch (FsException refused) {
            if (refused.error() != FsError.NO_ENTRY) {
                throw refused;
            }
        }
        int slash = path.lastIndexOf('/');
        long parent = directory(path.substring(0, Math.max(slash, 0)));
        try {
            return vfs.makeDirectory(parent, last(path), DIRECTORY_MODE, owner).ino();
        } catch (FsException refused) {
            if (refused.error() != FsError.EXISTS) {   // another thread may have made it
                throw refused;
            }
            return volume.paths().resolve(path, true).ino();
        }
    }

    private interface Making<T> {
        T make(NewEntry file) throws IOException;
    }

    @Override
    public TreeWriter create(NewEntry file) throws IOException {
        return making(file, this::writer);
    }

    private <T> T making(NewEntry file, Making<T> making) throws IOException {
        FileNames.require(file.path(), name(""));
        try {
            return making.make(file);
        } catch (FsException refused) {
            if (refused.error() != FsError.NO_ENTRY) {
                throw refused;
            }
            made.clear();                // the directory was removed
            return making.make(file);
        }
    }

    private VolumeWriter writer(NewEntry file) throws IOException {
        long directory = parent(file.path());
        return new VolumeWriter(vfs, directory, last(absolute(file.path())), owner, file, this::pieces);
    }

    private synchronized Pieces pieces() throws IOException {
        if (pieces == null) {
            pieces = new Pieces(vfs);
        }
        return pieces;
    }

    @Override
    public void makeDirectory(String path) throws IOException {
        FileNames.require(path, name(""));
        directory(absolute(path).replaceAll("/+$", ""));
    }

    @Override
    public void makeLink(String path, String target) throws IOException {
        FileNames.require(path, name(""));
        new Naming(vfs).symlink(parent(path), last(absolute(path)), target.getBytes(StandardCharsets.UTF_8), owner);
    }

    @Override
    public void remove(List<TreeEntry> entries) throws IOException {
        for (var entry : entries) {
            var found = volume.paths().place(absolute(entry.path()));
            if (found.found().isEmpty()) {
                continue;
            }
            if (found.found().get().isDirectory()) {
                made.clear();
                vfs.removeDirectory(found.directory(), found.name());
            } else {
                vfs.unlink(found.directory(), found.name());
            }
        }
    }

    /** Within a volume, also out of its past, by reference. */
    @Override
    public boolean copyTo(TreeEntry file, FileTree target, NewEntry copy) throws IOException {
        if (!(target instanceof VolumeTree to) || !to.volume.spec().id().equals(volume.spec().id())) {
            return false;
        }
        if (place.moment().isPresent()) {
            return to.making(copy, entry -> {
                long directory = to.parent(entry.path());
                to.volume.copies(volume).copy(ino(file), directory, last(to.absolute(entry.path())), true,
                        Trees.Watcher.NONE);
                return true;
            });
        }
        try (var original = vfs.open(ino(file))) {
            long version = original.attributes().version();
            try (var writer = to.making(copy.withSize(original.attributes().size()), to::writer)) {
                writer.share(original);
                if (original.attributes().version() != version) {
                    throw new EntryChangedException(name(file.path()));
                }
                writer.commit();
            }
        }
        return true;
    }

    @Override
    public boolean keepsAttributes() {
        return true;
    }

    @Override
    public void sync() throws IOException {
        volume.sync();
    }

    @Override
    public void close() {}
}
