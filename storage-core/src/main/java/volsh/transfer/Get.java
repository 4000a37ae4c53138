package volsh.transfer;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ThreadLocalRandom;
import volsh.fs.Attributes;
import volsh.vfs.OpenFile;
import volsh.vfs.Vfs;

/**
 * Copies files and trees out of a volume. A file is written beside its name and moved there when it is whole; what was
 * begun is removed when the copy stops. Modes and times come along; links stay links.
 */
public final class Get implements AutoCloseable {
    private static final int BUFFER_BYTES = 8 << 20;

    private final Vfs vfs;
    private final boolean keepOwner;
    private final Tally tally;
    private final Crew crew;
    private final ThreadLocal<ByteBuffer> buffers = ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(BUFFER_BYTES));
    private final ConcurrentLinkedDeque<Path> unfinished = new ConcurrentLinkedDeque<>();
    private final List<DirectoryTimes> directories = new ArrayList<>();

    private record DirectoryTimes(Path path, Attributes attributes) {}

    public Get(Vfs vfs, boolean keepOwner, int parallel, Observer observer) {
        this.vfs = vfs;
        this.keepOwner = keepOwner;
        this.tally = new Tally(observer);
        this.crew = new Crew(parallel);
    }

    /** Copies a file, link or tree of the volume to the local path. */
    public void add(Attributes source, Path target) throws IOException {
        tally.check();
        switch (source.kind()) {
            case REGULAR -> {
                tally.found(source.size());
                crew.submit(() -> file(source, target));
            }
            case DIRECTORY -> tree(source, target);
            case SYMLINK -> link(source, target);
            default -> tally.failed(target.toString(), "devices, fifos and sockets are not copied");
        }
    }

    private void tree(Attributes source, Path target) throws IOException {
        directory(source, target);
        new Walk(vfs).below(source.ino(), new Walk.Visitor() {
            private final ArrayList<Path> stack = new ArrayList<>(List.of(target));

            @Override
            public boolean visit(Walk.Found found) throws IOException {
                tally.check();
                var path = LocalFiles.resolve(stack.getLast(), found.name());
                if (found.attributes().isDirectory()) {
                    directory(found.attributes(), path);
                    stack.add(path);
                } else {
                    add(found.attributes(), path);
                }
                return true;
            }

            @Override
            public void leave(Walk.Found found) {
                stack.removeLast();
            }
        });
    }

    private void directory(Attributes source, Path target) throws IOException {
        try {
            Files.createDirectory(target);
        } catch (FileAlreadyExistsException there) {
            if (!Files.isDirectory(target)) {
                throw there;
            }
        }
        directories.add(new DirectoryTimes(target, source));
        tally.directory();
    }

    private void link(Attributes source, Path target) throws IOException {
        var text = new String(vfs.readSymlink(source.ino()), StandardCharsets.UTF_8);
        var temporary = temporary(target);
        Files.createSymbolicLink(temporary, Path.of(text));
        LocalFiles.imitateLink(temporary, source, keepOwner);
        Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        tally.file();
    }

    private void file(Attributes source, Path target) throws IOException {
        var temporary = temporary(target);
        unfinished.add(temporary);
        try (var file = vfs.open(source.ino())) {
            try (var channel = FileChannel.open(temporary, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
                copy(file, source.size(), channel);
            }
            LocalFiles.imitate(temporary, source, keepOwner);
            Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            unfinished.remove(temporary);
            tally.file();
        } catch (FileSystemException local) {
            tally.failed(target.toString(), local);
        }
    }

    /** Copies what the file holds; holes of some size stay holes. */
    private void copy(OpenFile file, long size, FileChannel target) throws IOException {
        var buffer = buffers.get();
        long offset = 0;
        while (true) {
            tally.check();
            buffer.clear();
            int count = file.read(offset, buffer);
            if (count == 0) {
                break;
            }
            buffer.flip();
            while (buffer.hasRemaining()) {
                target.write(buffer, offset + buffer.position());
            }
            offset += count;
            tally.bytes(count);
        }
    }

    private static Path temporary(Path target) {
        return target.resolveSibling(".%s.volsh-%08x".formatted(target.getFileName(), ThreadLocalRandom.current().nextInt()));
    }

    /** Writes the file's bytes to a stream, the next part being read while the last one is written. */
    public void stream(Attributes source, OutputStream target) throws IOException {
        tally.found(source.size());
        var out = Channels.newChannel(target);
        try (var file = vfs.open(source.ino()); var ahead = new ReadAhead(file, BUFFER_BYTES)) {
            for (var part = ahead.next(); part.hasRemaining(); part = ahead.next()) {
                tally.check();
                int count = part.remaining();
                while (part.hasRemaining()) {
                    out.write(part);
                }
                tally.bytes(count);
            }
        }
        tally.file();
    }

    /** Waits for everything added. */
    public Summary finish() throws IOException {
        crew.finish();
        for (var directory : directories.reversed()) {
            LocalFiles.imitate(directory.path(), directory.attributes(), keepOwner);
        }
        return tally.summary();
    }

    @Override
    public void close() throws IOException {
        crew.close();
        for (var path : unfinished) {
            Files.deleteIfExists(path);
        }
    }
}
