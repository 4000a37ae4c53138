package volsh.trace;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import volsh.disk.LocalTrees;

/** Replays single requests of a trace on files of a directory, opened under the handles of the trace. */
final class Deeds implements AutoCloseable {
    private static final int BUFFER = 1 << 20;

    private final Path root;
    private final boolean writes;
    private final Map<Long, FileChannel> open = new ConcurrentHashMap<>();
    private final ThreadLocal<ByteBuffer> buffers = ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(BUFFER));

    /** The result of a replayed request. */
    enum Outcome {
        /** It succeeded or failed as recorded, with as many bytes. */
        SAME,
        DIFFERENT,
        /** It was skipped because it would change something. */
        CHANGES,
        /** It was skipped because the trace does not contain the name of the file, which was open before. */
        NAMELESS,
        /** It was skipped because no program makes it by itself, or its result depends on the machine. */
        UNASKED;

        boolean isSkipped() {
            return this != SAME && this != DIFFERENT;
        }
    }

    Deeds(Path root, boolean writes) {
        this.root = root;
        this.writes = writes;
    }

    Outcome perform(Event event) {
        if (event.changes() && !writes && !event.operation().equals("open")) {
            return Outcome.CHANGES;
        }
        if (event.path().startsWith("#")) {
            return Outcome.NAMELESS;
        }
        try {
            return perform(event, place(event, event.path()));
        } catch (IOException | RuntimeException failed) {
            return event.failed() ? Outcome.SAME : failed instanceof InvalidPathException ? Outcome.UNASKED
                    : Outcome.DIFFERENT;
        }
    }

    /** The target path: never outside the root, whatever the trace says, and nothing is changed through a link. */
    private Path place(Event event, String path) throws IOException {
        Path place = root.resolve(path).normalize();
        return event.changes() || !place.startsWith(root.normalize()) ? LocalTrees.below(root, path) : place;
    }

    private Outcome perform(Event event, Path path) throws IOException {
        switch (event.operation()) {
            case "lookup", "getattr" -> Files.readAttributes(path, BasicFileAttributes.class,
                    LinkOption.NOFOLLOW_LINKS);
            case "open" -> keep(event, FileChannel.open(path, options(event)));
            case "create" -> create(event, path);
            case "read" -> {
                return same(event.asked().result(), read(event, path));
            }
            case "write" -> write(event, path);
            case "copy-file-range" -> {
                return same(event.asked().result(), copy(event, path));
            }
            case "fsync" -> file(event, path).force(true);
            case "release" -> release(event);
            case "readdir", "readdirplus" -> list(event, path);
            case "mkdir" -> Files.createDirectory(path);
            case "mknod" -> Files.createFile(path);
            case "unlink", "rmdir" -> Files.delete(path);
            case "rename", "rename2" -> Files.move(path, place(event, event.otherPath()),
                    StandardCopyOption.REPLACE_EXISTING);
            case "link" -> Files.createLink(path, place(event, event.otherPath()));
            case "symlink" -> Files.createSymbolicLink(path, Path.of(event.otherPath()));
            case "readlink" -> Files.readSymbolicLink(path);
            case "statfs" -> Files.getFileStore(path).getTotalSpace();
            case "setattr" -> {
                return length(event, path);
            }
            default -> {
                return Outcome.UNASKED;
            }
        }
        return same(event.failed(), false);
    }

    private static Outcome same(Object recorded, Object replayed) {
        return recorded.equals(replayed) ? Outcome.SAME : Outcome.DIFFERENT;
    }

    private Set<OpenOption> options(Event event) {
        var options = new HashSet<OpenOption>(Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS));
        if (writes && (event.asked().flags() & Event.Flags.ACCESS) != 0) {
            options.add(StandardOpenOption.WRITE);
        }
        if (writes && (event.asked().flags() & Event.Flags.TRUNCATE) != 0) {
            options.addAll(Set.of(StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING));
        }
        return options;
    }

    private void create(Event event, Path path) throws IOException {
        if ((event.asked().flags() & Event.Flags.EXCLUSIVE) != 0 && Files.exists(path)) {
            throw new FileAlreadyExistsException(path.toString());
        }
        var options = options(event);
        options.addAll(Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE));
        keep(event, FileChannel.open(path, options));
    }

    /** A handle that was never opened, because the request failed, is not kept. */
    private void keep(Event event, FileChannel file) throws IOException {
        var before = event.asked().handle() == 0 ? file : open.put(event.asked().handle(), file);
        if (before != null) {
            before.close();
        }
    }

    /** The file of this handle; one that was open before the recording began is opened now. */
    private FileChannel file(Event event, Path path) throws IOException {
        return file(event.asked().handle(), path);
    }

    private FileChannel file(long handle, Path path) throws IOException {
        var known = open.get(handle);
        if (known != null) {
            return known;
        }
        Set<OpenOption> options = writes && Files.isWritable(path)
                ? Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS)
                : Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
        var file = FileChannel.open(path, options);
        open.put(handle, file);
        return file;
    }

    private long read(Event event, Path path) throws IOException {
        var file = file(event, path);
        long got = 0;
        while (got < event.asked().size()) {
            var buffer = buffers.get().clear().limit((int) Math.min(BUFFER, event.asked().size() - got));
            int room = buffer.remaining();
            int some = file.read(buffer, event.asked().offset() + got);
            got += Math.max(0, some);
            if (some < room) {
                break;
            }
        }
        return got;
    }

    private void write(Event event, Path path) throws IOException {
        var file = file(event, path);
        for (long put = 0; put < event.asked().size(); ) {
            put += file.write(buffers.get().clear().limit((int) Math.min(BUFFER, event.asked().size() - put)),
                    event.asked().offset() + put);
        }
    }

    private long copy(Event event, Path path) throws IOException {
        var place = new String(event.asked().otherName(), StandardCharsets.US_ASCII).split(":");
        var to = file(Long.parseLong(place[0]), place(event, event.otherPath()));
        to.position(Long.parseLong(place[1]));   // the target of a copy is its own
        return file(event, path)
                .transferTo(event.asked().offset(), Math.min(event.asked().size(), event.asked().result()), to);
    }

    private void release(Event event) throws IOException {
        var file = open.remove(event.asked().handle());
        if (file != null) {
            file.close();
        }
    }

    /** A directory is read from its beginning; continuing requests are part of that. */
    private static void list(Event event, Path path) throws IOException {
        if (event.asked().offset() == 0) {
            try (var entries = Files.newDirectoryStream(path)) {
                entries.forEach(_ -> { });
            }
        }
    }

    /** Of setattr only the length: owners and modes belong to another machine. */
    private Outcome length(Event event, Path path) throws IOException {
        if (event.asked().size() < 0) {
            return Outcome.UNASKED;
        }
        try (var file = FileChannel.open(path, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS)) {
            if (event.asked().size() > file.size()) {
                file.write(ByteBuffer.allocate(1), event.asked().size() - 1);
            } else {
                file.truncate(event.asked().size());
            }
        }
        return same(event.failed(), false);
    }

    @Override
    public void close() throws IOException {
        for (var file : open.values()) {
            file.close();
        }
    }
}
