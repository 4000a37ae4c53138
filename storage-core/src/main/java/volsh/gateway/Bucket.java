package volsh.gateway;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import volsh.fs.Attributes;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.Name;
import volsh.fs.NewFile;
import volsh.fs.Owner;
import volsh.vfs.FilesByPath;
import volsh.vfs.OpenFile;
import volsh.vfs.Vfs;
import volsh.volume.Volume;

/**
 * An open volume as a bucket. An object is a regular file; links and special files are no objects. A put is one step:
 * readers see the old object or the new one, and it is stored when {@link #put} returns. Directories that a put made
 * are removed when the last object in them is deleted; others stay, as programs on mounts expect.
 */
final class Bucket implements AutoCloseable {
    private static final byte[] MADE = "user.volsh.s3-made".getBytes(StandardCharsets.US_ASCII);
    private static final int RACES_MAX = 20;
    private static final int RECENT_BYTES = 32 << 20;

    private final String name;
    private final Volume volume;
    private final Vfs vfs;
    private final FilesByPath byPath;
    private final Owner owner;
    private final RecentObjects recentObjects = new RecentObjects(RECENT_BYTES);
    private int users;   // guarded by the Buckets it is one of

    Bucket(String name, Volume volume, Owner owner) {
        this.name = name;
        this.volume = volume;
        this.vfs = volume.vfs();
        this.byPath = new FilesByPath(vfs);
        this.owner = owner;
    }

    String name() {
        return name;
    }

    void use(int more) {
        users += more;
    }

    boolean isUsed() {
        return users > 0;
    }

    Vfs vfs() {
        return vfs;
    }

    boolean writes() {
        return vfs.writes();
    }

    Owner owner() {
        return owner;
    }

    /** An object: its file or directory and, if the metadata has them, its bytes. */
    record Located(FilesByPath.Found found, ObjectFacts facts) {
        Attributes file() {
            return found.attributes();
        }

        Optional<byte[]> bytes() {
            return found.bytes();
        }
    }

    /** The file or, if the key ends with a slash, the directory of this key. */
    Optional<Located> find(ObjectKey key) throws IOException {
        var recent = recentObjects.get(key.text());
        if (recent != null && byPath.isCurrent(recent.found())) {
            return Optional.of(recent);
        }
        var found = byPath.find(key.names(), ObjectFacts.ATTRIBUTE);
        if (found.isEmpty()) {
            return Optional.empty();
        }
        var file = found.get().attributes();
        if (!(key.directory() ? file.isDirectory() : file.isRegular())) {
            return Optional.empty();
        }
        var located = new Located(found.get(), ObjectFacts.of(file, found.get().attribute()));
        if (found.get().mark() != null) {
            recentObjects.put(key.text(), located);
        }
        return Optional.of(located);
    }

    Located get(ObjectKey key) throws IOException {
        return find(key).orElseThrow(() -> S3Refusal.noKey(key.text()));
    }

    /** What is kept of these files beside their bytes, by inode. */
    Map<Long, ObjectFacts> facts(List<Attributes> files) throws IOException {
        var kept = byPath.attributes(files.stream().map(Attributes::ino).toList(), ObjectFacts.ATTRIBUTE);
        var facts = new HashMap<Long, ObjectFacts>();
        files.forEach(file -> facts.put(file.ino(), ObjectFacts.of(file,
                Optional.ofNullable(kept.get(file.ino())))));
        return facts;
    }

    Optional<Attributes> lookup(long directory, Name part) throws IOException {
        try {
            return Optional.of(vfs.lookup(directory, part));
        } catch (FsException refused) {
            if (refused.error() == FsError.NO_ENTRY) {
                return Optional.empty();
            }
            throw refused;
        }
    }

    /** Fills a new file; returns the entity tag of what it wrote. */
    interface Filling {
        String fill(OpenFile file) throws IOException;
    }

    /** Makes or replaces an object. {@code onlyNew}: fails if one of this key exists. */
    ObjectFacts put(ObjectKey key, Map<String, String> headers, boolean onlyNew, Filling filling) throws IOException {
        if (key.directory()) {
            return putDirectory(key, headers);
        }
        long parent = makeDirectories(key.parents(), true);
        boolean placed = false;
        try (var file = vfs.createUnnamed(parent, 0644, owner)) {
            try {
                String tag = filling.fill(file);
                file.flush();
                var facts = new ObjectFacts(tag, file.attributes().version(), headers);
                facts.save(vfs, file.ino());
                place(file, parent, key, onlyNew);
                placed = true;
                file.fsync();
                return facts;
            } finally {
                if (!placed) {
                    file.truncate(0);   // else closing it would store bytes that are not needed
                }
            }
        } finally {
            if (!placed) {
                prune(key.parents());
            }
        }
    }

    /** The size up to which {@link #putSmall} takes objects. */
    long smallMax() {
        return vfs.inlineMax();
    }

    /** The same for an object of a few bytes, which are at hand: with one change of the metadata. */
    ObjectFacts putSmall(ObjectKey key, Map<String, String> headers, boolean onlyNew, String tag, byte[] bytes)
            throws IOException {
        var facts = new ObjectFacts(tag, NewFile.VERSION, headers);
        long parent = makeDirectories(key.parents(), true);
        boolean placed = false;
        try {
            place(parent, key, directory -> byPath.create(directory, key.last(), owner, bytes,
                    new NewFile.Attribute(ObjectFacts.ATTRIBUTE, facts.bytes()), onlyNew));
            placed = true;
            vfs.syncNames();
            return facts;
        } finally {
            if (!placed) {
                prune(key.parents());
            }
        }
    }

    /** Gives an object its name in this directory. */
    private interface Placing {
        void in(long directory) throws IOException;
    }

    private void place(OpenFile file, long parent, ObjectKey key, boolean onlyNew) throws IOException {
        place(parent, key, directory -> {
            if (onlyNew) {
                vfs.link(file.ino(), directory, key.last());
            } else {
                vfs.place(file, directory, key.last());
            }
        });
    }

    private void place(long parent, ObjectKey key, Placing placing) throws IOException {
        long directory = parent;
        for (int race = 1;; race++) {
            try {
                placing.in(directory);
                return;
            } catch (FsException refused) {
                if (refused.error() == FsError.IS_DIRECTORY) {
                    throw conflict("'%s' is a directory: a file system has no object of the same name"
                            .formatted(key.text()));
                }
                if (refused.error() == FsError.EXISTS) {
                    throw new S3Refusal(412, "PreconditionFailed", "'%s' exists".formatted(key.text()));
                }
                if (refused.error() != FsError.NO_ENTRY || race == RACES_MAX) {
                    throw refused;
                }
                directory = makeDirectories(key.parents(), true);   // another client has removed it meanwhile
            }
        }
    }

    private ObjectFacts putDirectory(ObjectKey key, Map<String, String> headers) throws IOException {
        long ino = makeDirectories(key.names(), false);
        vfs.syncNames();
        var facts = new ObjectFacts("d41d8cd98f00b204e9800998ecf8427e", 0, headers);
        if (!headers.isEmpty()) {
            facts.save(vfs, ino);
        }
        return facts;
    }

    /** The last of these directories, made if it is missing; {@code implied} if no client asked for it by its key. */
    private long makeDirectories(List<Name> names, boolean implied) throws IOException {
        var known = implied ? byPath.directory(names) : Optional.<Long>empty();
        if (known.isPresent()) {
            return known.get();
        }
        long at = Vfs.ROOT;
        for (int i = 0, races = 0; i < names.size(); i++) {
            var found = lookup(at, names.get(i));
            if (found.isEmpty()) {
                try {
                    long made = vfs.makeDirectory(at, names.get(i), 0755, owner).ino();
                    if (implied || i < names.size() - 1) {
                        vfs.setExtendedAttribute(made, MADE, new byte[0], true, true);
                    }
                    at = made;
                } catch (FsException raced) {
                    if (races++ == RACES_MAX) {
                        throw raced;
                    }
                    if (raced.error() == FsError.NO_ENTRY) {   // what leads here was removed meanwhile
                        at = Vfs.ROOT;
                        i = -1;
                    } else if (raced.error() == FsError.EXISTS) {
                        i--;
                    } else {
                        throw raced;
                    }
                }
            } else if (!found.get().isDirectory()) {
                throw conflict("'%s' is a file: a file system has nothing below it".formatted(names.get(i)));
            } else {
                at = found.get().ino();
            }
        }
        if (!implied) {
            forgetMade(at);
        }
        return at;
    }

    private void forgetMade(long directory) throws IOException {
        try {
            vfs.removeExtendedAttribute(directory, MADE);
        } catch (FsException none) {
            if (none.error() != FsError.NO_DATA && none.error() != FsError.NO_ENTRY) {
                throw none;
            }
        }
    }

    private boolean isMade(long directory) throws IOException {
        try {
            vfs.extendedAttribute(directory, MADE);
            return true;
        } catch (FsException none) {
            if (none.error() == FsError.NO_DATA || none.error() == FsError.NO_ENTRY) {
                return false;
            }
            throw none;
        }
    }

    /** Whether an empty directory is an object: one that a put made for a deeper key is not. */
    boolean isObject(Attributes directory) throws IOException {
        return !isMade(directory.ino());
    }

    private static S3Refusal conflict(String why) {
        return new S3Refusal(409, "OperationAborted", why);
    }

    /** Deletes an object; one that does not exist is no error. {@link Vfs#syncNames} makes it survive power loss. */
    void delete(ObjectKey key) throws IOException {
        var directory = directory(key.parents());
        if (directory.isEmpty()) {
            return;
        }
        var found = lookup(directory.get(), key.last());
        if (found.isEmpty() || !(key.directory() ? found.get().isDirectory() : found.get().isRegular())) {
            return;
        }
        try {
            if (key.directory()) {
                vfs.removeDirectory(directory.get(), key.last());
            } else {
                vfs.unlink(directory.get(), key.last());
            }
        } catch (FsException refused) {
            if (refused.error() == FsError.NOT_EMPTY) {
                vfs.setExtendedAttribute(found.get().ino(), MADE, new byte[0], true, true);
            } else if (refused.error() != FsError.NO_ENTRY) {
                throw refused;
            }
        }
        prune(key.parents());
    }

    Optional<Long> directory(List<Name> names) throws IOException {
        return byPath.directory(names);
    }

    /** Removes directories that puts made and that are empty now, from the last one up. */
    private void prune(List<Name> names) throws IOException {
        var way = new ArrayDeque<Long>();
        long at = Vfs.ROOT;
        for (var part : names) {
            way.push(at);
            var found = lookup(at, part);
            if (found.isEmpty() || !found.get().isDirectory()) {
                return;
            }
            at = found.get().ino();
        }
        for (int i = names.size() - 1; i >= 0; i--) {
            long parent = way.pop();
            if (!isMade(at)) {
                return;
            }
            try {
                vfs.removeDirectory(parent, names.get(i));
            } catch (FsException kept) {
                return;   // not empty, or another client was faster
            }
            at = parent;
        }
    }

    @Override
    public void close() throws IOException {
        volume.close();
    }
}
