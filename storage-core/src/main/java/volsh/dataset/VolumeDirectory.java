package volsh.dataset;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import volsh.fs.Attributes;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.transfer.Trail;
import volsh.vfs.OpenFile;
import volsh.vfs.Paths;
import volsh.vfs.Vfs;

/** A directory of an open volume, now or as it was in a snapshot. */
public final class VolumeDirectory implements DatasetDirectory {
    private static final int PAGE = 500;
    private static final int DIRECTORY_MODE = 0755;

    private final Vfs vfs;
    private final Paths paths;
    private final String volume;
    private final String root;
    private final Owner owner;
    private final Set<String> made = ConcurrentHashMap.newKeySet();

    /** @param volume the volume as messages name it, such as {@code data} or {@code data@v1} */
    public VolumeDirectory(Vfs vfs, String volume, String path, Owner owner) {
        this.vfs = vfs;
        this.paths = new Paths(vfs);
        this.volume = volume;
        this.root = path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
        this.owner = owner;
    }

    private String path(String name) {
        return name.isEmpty() ? root.isEmpty() ? "/" : root : root + "/" + name;
    }

    @Override
    public String shown(String name) {
        return volume + ":" + path(name);
    }

    @Override
    public void walk(Visitor visitor) throws IOException {
        var start = paths.resolve(path(""));
        if (!start.isDirectory()) {
            throw new FsException(FsError.NOT_DIRECTORY, shown("") + ": not a directory");
        }
        var trail = new Trail(vfs, start.ino());
        for (var step = trail.next(); step != null; step = trail.next()) {
            var found = step.found();
            if (found.name().toString().startsWith(".")) {
                trail.skip();
            } else if (!step.leaving()) {
                visit(found, visitor);
            }
        }
    }

    private static void visit(Trail.Found found, Visitor visitor) throws IOException {
        var attributes = found.attributes();
        var name = found.path().startsWith("/") ? found.path().substring(1) : found.path();
        if (attributes.isRegular()) {
            visitor.file(name, attributes.size(), attributes.mtime(), attributes.ino());
        } else if (!attributes.isDirectory()) {
            visitor.unusable(name, "not a regular file");
        }
    }

    @Override
    public Found find(String name) throws IOException {
        var found = resolve(name);
        if (!found.isRegular()) {
            throw new FsException(FsError.INVALID, shown(name) + ": not a regular file");
        }
        return new Found(found.size(), found.mtime(), found.ino());
    }

    private Attributes resolve(String name) throws IOException {
        try {
            return paths.resolve(path(name));
        } catch (FsException refused) {
            throw new FsException(refused.error(), shown(name) + ": " + refused.error().text());
        }
    }

    @Override
    public List<String> names(String directory) throws IOException {
        var names = new ArrayList<String>();
        try {
            var found = paths.resolve(path(directory));
            Name last = null;
            for (int count = PAGE; found.isDirectory() && count == PAGE; ) {
                var page = vfs.list(found.ino(), last, PAGE);
                page.forEach(entry -> names.add(entry.name().toString()));
                count = page.size();
                last = page.isEmpty() ? last : page.getLast().name();
            }
        } catch (FsException refused) {
            requireAbsence(refused);
        }
        return names;
    }

    @Override
    public OptionalLong size(String name) throws IOException {
        try {
            var found = paths.resolve(path(name));
            return found.isRegular() ? OptionalLong.of(found.size()) : OptionalLong.empty();
        } catch (FsException refused) {
            requireAbsence(refused);
            return OptionalLong.empty();
        }
    }

    private static void requireAbsence(FsException refused) throws FsException {
        if (refused.error() != FsError.NO_ENTRY && refused.error() != FsError.NOT_DIRECTORY) {
            throw refused;
        }
    }

    @Override
    public InputStream read(String name, long handle) throws IOException {
        return new Reading(vfs.open(handle));
    }

    /** The bytes of an open file from the beginning. */
    private static final class Reading extends InputStream {
        private final OpenFile file;
        private long offset;

        Reading(OpenFile file) {
            this.file = file;
        }

        @Override
        public int read() throws IOException {
            var one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
        }

        @Override
        public int read(byte[] target, int from, int length) throws IOException {
            if (length == 0) {
                return 0;
            }
            int count = file.read(offset, ByteBuffer.wrap(target, from, length));
            offset += Math.max(0, count);
            return count <= 0 ? -1 : count;
        }

        @Override
        public void close() throws IOException {
            file.close();
        }
    }

    @Override
    public OpenShard open(String name) throws IOException {
        var file = vfs.open(resolve(name).ino());
        return new OpenShard() {
            @Override
            public long size() throws IOException {
                return file.attributes().size();
            }

            @Override
            public int read(long offset, ByteBuffer target) throws IOException {
                return Math.max(0, file.read(offset, target));
            }

            @Override
            public void close() throws IOException {
                file.close();
            }
        };
    }

    @Override
    public PendingFile create(String name) throws IOException {
        var path = path(name);
        makeDirectories(path.substring(0, path.lastIndexOf('/')));
        var place = paths.place(path);
        return new VolumePendingFile(vfs, place.directory(), place.name(), shown(name), owner);
    }

    @Override
    public void makeDirectories() throws IOException {
        makeDirectories(root);
    }

    private synchronized void makeDirectories(String directory) throws IOException {
        if (directory.isEmpty() || made.contains(directory)) {
            return;
        }
        makeDirectories(directory.substring(0, directory.lastIndexOf('/')));
        var place = paths.place(directory);
        if (place.found().isEmpty()) {
            vfs.makeDirectory(place.directory(), place.name(), DIRECTORY_MODE, owner);
        }
        made.add(directory);
    }

    @Override
    public void delete(String name) throws IOException {
        try {
            var place = paths.place(path(name));
            if (place.found().isPresent() && place.found().get().isDirectory()) {
                vfs.removeDirectory(place.directory(), place.name());
            } else if (place.found().isPresent()) {
                vfs.unlink(place.directory(), place.name());
            }
            made.remove(path(name));
        } catch (FsException refused) {
            requireAbsence(refused);
        }
    }

    @Override
    public void sync(List<String> names) throws IOException {
        vfs.sync();
    }
}
