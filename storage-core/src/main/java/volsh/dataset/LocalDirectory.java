package volsh.dataset;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import volsh.disk.Disk;
import volsh.disk.LocalTrees;

/** A directory of a local disk. Links to files are followed when read; links to directories are not entered. */
public final class LocalDirectory implements DatasetDirectory {
    private static final char UNDECODABLE = '\uFFFD';

    private final Path root;
    private final File top;
    private final Set<Path> made = ConcurrentHashMap.newKeySet();

    public LocalDirectory(Path root) {
        this.root = root;
        this.top = root.toFile();
    }

    @Override
    public String shown(String name) {
        return name.isEmpty() ? root.toString() : root.resolve(name).toString();
    }

    @Override
    public void walk(Visitor visitor) throws IOException {
        walk(root, "", visitor);
    }

    private void walk(Path directory, String prefix, Visitor visitor) throws IOException {
        String[] names;
        try {
            names = list(directory);
        } catch (AccessDeniedException denied) {
            if (prefix.isEmpty()) {
                throw denied;
            }
            visitor.unusable(prefix, "permission denied");
            return;
        }
        var deeper = new ArrayList<String>();
        for (String name : names) {
            if (!name.startsWith(".")) {
                visit(directory.resolve(name), prefix + name, deeper, visitor);
            }
        }
        for (String name : deeper) {
            walk(root.resolve(name), name + "/", visitor);
        }
    }

    private static String[] list(Path directory) throws IOException {
        var names = new ArrayList<String>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
            entries.forEach(entry -> names.add(entry.getFileName().toString()));
        } catch (java.nio.file.DirectoryIteratorException failed) {
            throw failed.getCause();
        }
        var sorted = names.toArray(String[]::new);
        Arrays.sort(sorted);
        return sorted;
    }

    private static void visit(Path path, String name, List<String> deeper, Visitor visitor) throws IOException {
        if (name.indexOf(UNDECODABLE) >= 0) {
            visitor.unusable(name, "its name is not UTF-8");
            return;
        }
        try {
            var own = Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            var found = own.isSymbolicLink() ? Files.readAttributes(path, BasicFileAttributes.class) : own;
            if (own.isDirectory()) {
                deeper.add(name);
            } else if (found.isRegularFile()) {
                visitor.file(name, found.size(), found.lastModifiedTime().to(TimeUnit.NANOSECONDS), 0);
            } else {
                visitor.unusable(name, found.isDirectory() ? "a link to a directory" : "not a regular file");
            }
        } catch (NoSuchFileException gone) {
            visitor.unusable(name, "a link that leads nowhere, or removed meanwhile");
        }
    }

    @Override
    public Found find(String name) throws IOException {
        var found = Files.readAttributes(root.resolve(name), BasicFileAttributes.class);
        if (!found.isRegularFile()) {
            throw new FileSystemException(shown(name), null, "not a regular file");
        }
        return new Found(found.size(), found.lastModifiedTime().to(TimeUnit.NANOSECONDS), 0);
    }

    @Override
    public List<String> names(String directory) throws IOException {
        var path = root.resolve(directory);
        return Files.isDirectory(path) ? Arrays.asList(list(path)) : List.of();
    }

    @Override
    public OptionalLong size(String name) throws IOException {
        var path = root.resolve(name);
        return Files.isRegularFile(path) ? OptionalLong.of(Files.size(path)) : OptionalLong.empty();
    }

    @Override
    public InputStream read(String name, long handle) throws IOException {
        return new FileInputStream(new File(top, name));
    }

    @Override
    public OpenShard open(String name) throws IOException {
        var channel = FileChannel.open(root.resolve(name), StandardOpenOption.READ);
        return new OpenShard() {
            @Override
            public long size() throws IOException {
                return channel.size();
            }

            @Override
            public int read(long offset, ByteBuffer target) throws IOException {
                return Math.max(0, channel.read(target, offset));
            }

            @Override
            public void close() throws IOException {
                channel.close();
            }
        };
    }

    @Override
    public PendingFile create(String name) throws IOException {
        var parent = Disk.directoryOf(root.toAbsolutePath().resolve(name).normalize());
        var target = made.contains(parent) ? root.resolve(name) : LocalTrees.below(root.toAbsolutePath(), name);
        makeOnce(parent);
        var work = root.resolve(WORK);
        makeOnce(work);
        return new LocalPendingFile(work.resolve(name.replace("%", "%25").replace("/", "%2F")), target);
    }

    @Override
    public FileBatch batch(boolean replace) throws IOException {
        return new LocalBatch(this, root, replace);
    }

    private void makeOnce(Path directory) throws IOException {
        if (!made.contains(directory)) {
            Files.createDirectories(directory);
            made.add(directory);
        }
    }

    @Override
    public void makeDirectories() throws IOException {
        makeOnce(root);
    }

    @Override
    public void delete(String name) throws IOException {
        var path = root.resolve(name);
        Files.deleteIfExists(path);
        made.remove(path);
    }

    @Override
    public void sync(List<String> names) throws IOException {
        Set<Path> directories = new HashSet<>(Set.of(root));
        for (var name : names) {
            force(root.resolve(name));
            directories.add(root.resolve(name).getParent());
        }
        for (var directory : directories) {
            force(directory);
        }
    }

    private static void force(Path path) throws IOException {
        try (var channel = FileChannel.open(path, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }
}
