package volsh.dataset;

import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import volsh.disk.Disk;
import volsh.disk.LocalTrees;
import volsh.fs.NoSpaceException;
import volsh.shard.Field;

/**
 * Files of a local directory that are written into a tree of their own. A commit moves it into place: directories that
 * the target lacks as a whole, which costs nothing for the files in them, and else file by file.
 */
final class LocalBatch implements FileBatch {
    /** Names of such trees begin so; then come the process that fills it, and a number. */
    private static final String PREFIX = "unpack-";
    private static final AtomicLong NUMBERS = new AtomicLong();

    private final LocalDirectory target;
    private final Path root;
    private final boolean replace;
    private final Path tree;
    private final Map<Path, Path> directories = new HashMap<>();   // of the target, and where they are staged
    private final Map<Path, Boolean> empty = new HashMap<>();      // whether a directory of the target is not there yet
    private final Set<String> added = new HashSet<>();

    LocalBatch(LocalDirectory target, Path root, boolean replace) throws IOException {
        this.target = target;
        this.root = root.toAbsolutePath().normalize();
        this.replace = replace;
        var work = Files.createDirectories(this.root.resolve(DatasetDirectory.WORK));
        removeAbandoned(work);
        this.tree = work.resolve(PREFIX + ProcessHandle.current().pid() + "-" + NUMBERS.incrementAndGet());
    }

    /** Those of processes that were killed. */
    private static void removeAbandoned(Path work) throws IOException {
        try (var found = Files.newDirectoryStream(work, PREFIX + "*")) {
            for (var path : found) {
                var pid = path.getFileName().toString().substring(PREFIX.length()).replaceFirst("-.*", "");
                if (pid.matches("[0-9]{1,18}") && ProcessHandle.of(Long.parseLong(pid)).isEmpty()) {
                    LocalTrees.remove(path);
                }
            }
        }
    }

    @Override
    public void add(String name, Field content) throws IOException {
        var place = root.resolve(name).normalize();
        var parent = Disk.directoryOf(place);
        var staged = directories.get(parent);
        if (staged == null) {
            LocalTrees.below(root, name);
            staged = Files.createDirectories(tree.resolve(root.relativize(parent).toString()));
            directories.put(parent, staged);
            empty.put(parent, !Files.exists(parent, LinkOption.NOFOLLOW_LINKS));
        }
        var file = staged.resolve(place.getFileName());
        if (!replace && (!added.add(name) || !Boolean.TRUE.equals(empty.get(parent))
                && Files.exists(place, LinkOption.NOFOLLOW_LINKS))) {
            throw SingleFiles.exists(target, name);
        }
        try (var out = new FileOutputStream(file.toFile()); var in = content.open()) {
            in.transferTo(out);
        } catch (IOException failed) {
            throw NoSpaceException.typed("%s: %s".formatted(place, failed.getMessage()), failed);
        }
    }

    @Override
    public void commit() throws IOException {
        if (!directories.isEmpty()) {
            moveInto(tree, root);
            directories.clear();
            empty.clear();
            added.clear();
        }
    }

    private void moveInto(Path from, Path to) throws IOException {
        try (var children = Files.newDirectoryStream(from)) {
            for (var child : children) {
                move(child, to.resolve(child.getFileName()));
            }
        }
        Files.delete(from);
    }

    private void move(Path from, Path to) throws IOException {
        boolean tree = Files.isDirectory(from, LinkOption.NOFOLLOW_LINKS);
        if (tree && Files.isDirectory(to, LinkOption.NOFOLLOW_LINKS)) {
            moveInto(from, to);
        } else if (!tree && !replace && Files.exists(to, LinkOption.NOFOLLOW_LINKS)) {
            throw SingleFiles.exists(target, root.relativize(to).toString());
        } else {
            rename(from, to, tree);
        }
    }

    private void rename(Path from, Path to, boolean tree) throws IOException {
        try {
            Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
        } catch (FileSystemException failed) {
            if (!tree || !Files.isDirectory(to, LinkOption.NOFOLLOW_LINKS)) {
                throw new FileSystemException(to.toString(), null, failed.getReason());
            }
            moveInto(from, to);    // another batch was faster
        }
    }

    @Override
    public void close() throws IOException {
        LocalTrees.remove(tree);
    }
}
