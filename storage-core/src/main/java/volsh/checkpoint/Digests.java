package volsh.checkpoint;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.function.Consumer;
import volsh.checkpoint.Manifest.Entry;
import volsh.transfer.Crew;
import volsh.transfer.Observer;
import volsh.transfer.Put;
import volsh.vfs.OpenFile;
import volsh.vfs.Pieces.Counts;

/** SHA-256 of files, several at a time. */
final class Digests {
    private static final int PIECE = 1 << 20;

    private Digests() {}

    /** A local file as it was when it was read. */
    record Source(Path file, FileTime modified, Entry entry) {
        /** The entry with what became of its bytes; a small file is stored as it is. */
        Entry entry(Optional<Counts> counts) {
            return counts.isEmpty() ? entry : new Entry(entry.path(), entry.size(), entry.sha256(), counts.get().fresh(), counts.get().shared());
        }

        Source named(String name) {
            return new Source(file, modified, new Entry(name, entry.size(), entry.sha256(), entry.fresh(), entry.shared()));
        }

        boolean changed() throws IOException {
            var now = Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            return now.size() != entry.size() || !now.lastModifiedTime().equals(modified);
        }
    }

    /** Every regular file below a local directory, in the order of paths, or the one file; links are not followed. */
    static List<Source> below(Path directory, int parallel, Observer observer) throws IOException {
        if (Files.isRegularFile(directory)) {
            return List.of(source(directory.toAbsolutePath().getParent(), directory.toAbsolutePath(), observer));
        }
        var files = new ArrayList<Path>();
        Files.walkFileTree(directory, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                if (attributes.isRegularFile()) {
                    files.add(file);
                }
                return FileVisitResult.CONTINUE;
            }
        });
        var sources = new ArrayList<Source>();
        try (var crew = new Crew(parallel)) {
            for (Path file : files) {
                crew.submit(() -> {
                    var source = source(directory, file, observer);
                    synchronized (sources) {
                        sources.add(source);
                    }
                });
            }
            crew.finish();
        }
        sources.sort(Comparator.comparing(source -> source.entry().path()));
        return sources;
    }

    private static Source source(Path directory, Path file, Observer observer) throws IOException {
        var modified = Files.getLastModifiedTime(file, LinkOption.NOFOLLOW_LINKS);
        try (var in = FileChannel.open(file, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
            long[] size = {0};
            String digest = of(observer, buffer -> {
                int count = in.read(buffer);
                size[0] += Math.max(0, count);
                return count;
            }, nobody -> {});
            return new Source(file, modified, new Entry(path(directory, file), size[0], digest, size[0], 0));
        }
    }

    /** As a volume shows it, whatever its bytes are. */
    private static String path(Path directory, Path file) throws IOException {
        var names = new StringJoiner("/");
        for (Path name : directory.relativize(file)) {
            names.add(Put.name(name).toString());
        }
        return names.toString();
    }

    /** Of a file in a volume; {@code looking} sees all of its bytes, too. */
    static String of(OpenFile file, Observer observer, Consumer<ByteBuffer> looking) throws IOException {
        long[] at = {0};
        return of(observer, buffer -> {
            int count = file.read(at[0], buffer);
            at[0] += count;
            return count == 0 ? -1 : count;
        }, looking);
    }

    /** Of a local file. */
    static String of(FileChannel file, Observer observer) throws IOException {
        return of(observer, file::read, nobody -> {});
    }

    private interface Reading {
        int into(ByteBuffer buffer) throws IOException;
    }

    private static String of(Observer observer, Reading reading, Consumer<ByteBuffer> looking) throws IOException {
        var digest = sha256();
        var buffer = ByteBuffer.allocateDirect(PIECE);
        var bytes = new byte[PIECE];    // of direct memory a digest takes 4 KiB at a time
        while (reading.into(buffer.clear()) >= 0) {
            if (observer.cancelled()) {
                throw new InterruptedIOException("cancelled");
            }
            looking.accept(buffer.flip());
            int length = buffer.remaining();
            buffer.get(bytes, 0, length);
            digest.update(bytes, 0, length);
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("every Java has SHA-256", impossible);
        }
    }
}
