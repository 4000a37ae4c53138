package volsh.checkpoint;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import volsh.catalog.Refusal.Reason;
import volsh.catalog.Refusal;
import volsh.checkpoint.Manifest.Entry;
import volsh.disk.Disk;
import volsh.disk.LocalTrees;
import volsh.disk.Trust;
import volsh.fs.Attributes;
import volsh.fs.ShellWord;
import volsh.transfer.Get;
import volsh.transfer.LocalFiles;
import volsh.transfer.Observer;
import volsh.transfer.SequentialReads;
import volsh.transfer.Trail;
import volsh.transfer.TransferThreads;
import volsh.transfer.TreeWalk;
import volsh.vfs.Vfs;

/**
 * Restores a checkpoint to a local directory: copies it beside the target, compares every file with the manifest while
 * copying, then moves it there in one step. After an interruption the copied files stay, and the next attempt continues
 * from there after comparing them.
 */
final class Restoring {
    private static final String PARTIAL = "-restoring-";
    private static final String LOCK = ".volsh-restoring";
    private static final String PART = ".volsh-part";
    private static final int PIECE = 1 << 20;
    private static final PosixFilePermission[] BITS = {PosixFilePermission.OTHERS_EXECUTE,
            PosixFilePermission.OTHERS_WRITE, PosixFilePermission.OTHERS_READ, PosixFilePermission.GROUP_EXECUTE,
            PosixFilePermission.GROUP_WRITE, PosixFilePermission.GROUP_READ, PosixFilePermission.OWNER_EXECUTE,
            PosixFilePermission.OWNER_WRITE, PosixFilePermission.OWNER_READ};

    private final Vfs vfs;
    private final int parallel;
    private final Observer observer;

    Restoring(Vfs vfs, int parallel, Observer observer) {
        this.vfs = vfs;
        this.parallel = parallel;
        this.observer = observer;
    }

    /** {@code source} is the directory of the checkpoint or of a shard; {@code files} its expected content. */
    void run(Checkpoint checkpoint, Attributes source, List<Entry> files, Path target, boolean replace)
            throws IOException {
        Path place = target.toAbsolutePath().normalize();
        requireRoom(place, replace);
        String prefix = "." + place.getFileName() + PARTIAL;
        Path fresh = place.resolveSibling("%s%s-%d-%d".formatted(prefix, checkpoint.run(), checkpoint.step(),
                source.ino()));
        removeOthers(Disk.directoryOf(place), prefix, fresh);
        makeDirectory(fresh);
        if (!Trust.ofThisProcess().isOurs(fresh)) {
            throw new Refusal(Reason.FORBIDDEN, "%s belongs to another user".formatted(fresh),
                    "ls -ld " + ShellWord.of(fresh));
        }
        try (var _ = lock(fresh)) {
            copy(source, files, fresh);
            Files.delete(fresh.resolve(LOCK));
            swap(fresh, place);
        } catch (Refusal damaged) {
            LocalTrees.remove(fresh);
            throw damaged;
        }
    }

    private static void requireRoom(Path place, boolean replace) throws IOException {
        if (place.getFileName() == null) {
            throw new Refusal(Reason.INVALID, "%s cannot be replaced: choose a directory below it".formatted(place));
        }
        if (!Files.isDirectory(Disk.directoryOf(place))) {
            throw new Refusal(Reason.NOT_FOUND, "%s: no such directory".formatted(place.getParent()));
        }
        if (Files.isDirectory(place)) {
            try (var files = Files.list(place)) {
                if (!replace && files.findAny().isPresent()) {
                    throw new Refusal(Reason.CONFLICT, "%s is not empty".formatted(place))
                            .detail("use --force to replace its contents");
                }
            }
        } else if (Files.exists(place, LinkOption.NOFOLLOW_LINKS)) {
            String kind = Files.isSymbolicLink(place) ? "a symbolic link that does not point to a directory" : "a file";
            throw new Refusal(Reason.CONFLICT, "%s is %s".formatted(place, kind), "ls -ld " + ShellWord.of(place));
        }
    }

    private static FileChannel lock(Path fresh) throws IOException {
        var channel = FileChannel.open(fresh.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE,
                LinkOption.NOFOLLOW_LINKS);
        try {
            if (channel.tryLock() != null) {
                return channel;
            }
        } catch (OverlappingFileLockException here) {
            // treated like a lock of another process
        }
        channel.close();
        throw new IOException("another restore to the same directory is running (%s)".formatted(fresh));
    }

    /** Removes what earlier attempts left of other checkpoints, unless they are still running. */
    private static void removeOthers(Path parent, String prefix, Path mine) throws IOException {
        var others = new ArrayList<Path>();
        try (var names = Files.newDirectoryStream(parent,
                path -> path.getFileName().toString().startsWith(prefix) && !path.equals(mine)
                && Trust.ofThisProcess().isOurs(path))) {
            names.forEach(others::add);
        }
        for (Path other : others) {
            try (var _ = lock(other)) {
                LocalTrees.remove(other);
            } catch (IOException inUse) {
                // that restore is still running
            }
        }
    }

    private record Waiting(Entry entry, Attributes source, Path target) {}

    private void copy(Attributes source, List<Entry> files, Path fresh) throws IOException {
        var wanted = new HashMap<String, Entry>();
        files.forEach(file -> wanted.put(file.path(), file));
        var directories = new ArrayList<Map.Entry<Path, Attributes>>();
        var links = new ArrayList<Map.Entry<Path, Attributes>>();
        var waiting = new ArrayList<Waiting>();
        new TreeWalk(vfs).below(source.ino(), new TreeWalk.Visitor() {
            private final ArrayList<Path> stack = new ArrayList<>(List.of(fresh));

            @Override
            public boolean visit(Trail.Found found) throws IOException {
                Path path = Get.local(stack.getLast(), found.name());
                if (found.attributes().isDirectory()) {
                    makeDirectory(path);
                    directories.add(Map.entry(path, found.attributes()));
                    stack.add(path);
                    return true;
                }
                var entry = wanted.remove(found.path());
                if (entry != null && found.attributes().isRegular()) {
                    waiting.add(new Waiting(entry, found.attributes(), path));
                } else if (!found.attributes().isRegular()) {
                    links.add(Map.entry(path, found.attributes()));
                }
                return false;
            }

            @Override
            public void leave(Trail.Found found) {
                stack.removeLast();
            }
        });
        if (!wanted.isEmpty()) {
            throw new Refusal(Reason.DAMAGED,
                    "%s is missing; nothing was restored".formatted(wanted.keySet().iterator().next()));
        }
        copyFiles(waiting);
        copyLinks(links);
        for (var directory : directories.reversed()) {
            imitate(directory.getKey(), directory.getValue());
        }
    }

    private static void makeDirectory(Path path) throws IOException {
        try {
            Files.createDirectory(path);
        } catch (FileAlreadyExistsException before) {
            if (!Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
                throw before;
            }
        }
    }

    private void copyLinks(List<Map.Entry<Path, Attributes>> links) throws IOException {
        try (var get = new Get(vfs, false, 1, observer)) {
            for (var link : links) {
                Files.deleteIfExists(link.getKey());
                get.add(link.getKey().toString(), link.getValue(), link.getKey());
            }
            if (get.finish().failed() > 0) {
                throw new IOException("some files could not be read; nothing was restored");
            }
        }
    }

    private record Link(Path name, Path file) {}

    private void copyFiles(List<Waiting> files) throws IOException {
        var first = new HashMap<Long, Waiting>();
        var others = new ArrayList<Link>();
        try (var crew = new TransferThreads(parallel)) {
            for (var file : files) {
                var same = file.source().links() > 1 ? first.putIfAbsent(file.source().ino(), file) : null;
                if (same != null) {
                    others.add(new Link(file.target(), same.target()));
                } else {
                    crew.submit(() -> copy(file));
                }
            }
            crew.finish();
        }
        for (var other : others) {
            Files.deleteIfExists(other.name());
            Files.createLink(other.name(), other.file());
        }
    }

    private void copy(Waiting file) throws IOException {
        if (isThere(file)) {
            observer.done(1, file.entry().size());
            return;
        }
        LocalFiles.requireReplaceable(file.target());
        Path part = file.target().resolveSibling(file.target().getFileName() + PART);
        String found = write(file, part);
        if (!found.equals(file.entry().sha256()) || Files.size(part) != file.entry().size()) {
            throw new Refusal(Reason.DAMAGED, "%s differs from what was saved; nothing was restored"
                    .formatted(file.entry().path()), "volsh checkpoint list");
        }
        imitate(part, file.source());
        Files.move(part, file.target(), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        observer.done(1, 0);
    }

    /** Whether an earlier attempt restored the file completely and correctly. */
    private boolean isThere(Waiting file) throws IOException {
        if (!Files.isRegularFile(file.target(), LinkOption.NOFOLLOW_LINKS)
                || Files.size(file.target()) != file.entry().size()) {
            return false;
        }
        return Digests.of(file.target(), observer).equals(file.entry().sha256());
    }

    /**
     * Copies the bytes, zeros as holes, and returns their digest. Parts may be written out of order, but one at a time:
     * the kernel lets one thread write to a file, and the others would wait for it with their processors.
     */
    private String write(Waiting file, Path part) throws IOException {
        var digest = Digests.sha256();
        Files.deleteIfExists(part);
        Files.createFile(part);   // a link is not followed
        try (var source = vfs.open(file.source().ino()); var out = new RandomAccessFile(part.toFile(), "rw")) {
            out.setLength(file.entry().size());
            var channel = out.getChannel();
            SequentialReads.inOrder(source, file.source().size(), new OnePartAtATime(channel), (offset, piece) -> {
                Digests.requireGoingOn(observer);
                observer.done(0, piece.remaining());
                digest.update(piece);
            });
            return Digests.text(digest);
        }
    }

    /** Writes what was read together; zeros stay holes. */
    private record OnePartAtATime(FileChannel target, Lock lock) implements SequentialReads.Taking {
        OnePartAtATime(FileChannel target) {
            this(target, new ReentrantLock());
        }

        @Override
        public void takeAll(long offset, List<ByteBuffer> pieces) throws IOException {
            lock.lock();
            try {
                SequentialReads.Taking.super.takeAll(offset, pieces);
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void take(long offset, ByteBuffer bytes) throws IOException {
            int end = bytes.limit();
            for (long at = offset; bytes.position() < end;) {
                bytes.limit(Math.min(end, bytes.position() + PIECE));
                if (isZero(bytes.slice())) {
                    at += bytes.remaining();
                    bytes.position(bytes.limit());
                } else {
                    at += target.write(bytes, at);
                }
            }
        }
    }

    private static boolean isZero(ByteBuffer bytes) {
        int last = bytes.limit() - 1;
        return bytes.get(0) == 0 && bytes.get(last) == 0 && bytes.slice(1, last).mismatch(bytes.slice(0, last)) < 0;
    }

    private static void imitate(Path path, Attributes source) throws IOException {
        Files.setPosixFilePermissions(path, permissions(source.mode()));
        Files.setLastModifiedTime(path, FileTime.from(source.mtime(), TimeUnit.NANOSECONDS));
    }

    private static Set<PosixFilePermission> permissions(int mode) {
        var set = EnumSet.noneOf(PosixFilePermission.class);
        for (int bit = 0; bit < BITS.length; bit++) {
            if ((mode & 1 << bit) != 0) {
                set.add(BITS[bit]);
            }
        }
        return set;
    }

    /** An empty directory is replaced by a rename; another one is moved aside first and removed last. */
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
