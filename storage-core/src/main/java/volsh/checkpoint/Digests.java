package volsh.checkpoint;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
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
import java.util.Map;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import volsh.checkpoint.Manifest.Entry;
import volsh.disk.Disk;
import volsh.transfer.Observer;
import volsh.transfer.Put;
import volsh.transfer.SequentialReads;
import volsh.transfer.Sharing;
import volsh.transfer.TransferThreads;
import volsh.vfs.OpenFile;
import volsh.vfs.Pieces.Counts;

/** SHA-256 of files, several at a time. */
final class Digests {
    /** Stays in a core's cache between the kernel that fills it and the digest that reads it. */
    private static final int PIECE = 256 << 10;

    private Digests() {}

    /** A local file as it was found, to detect later changes. */
    record Source(Path file, String path, long size, FileTime modified) {
        Source named(String name) {
            return new Source(file, name, size, modified);
        }

        boolean changed() throws IOException {
            var now = Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            return now.size() != size || !now.lastModifiedTime().equals(modified);
        }

        /** The manifest entry, with the fate of its bytes: small files are stored whole, or inline if they fit. */
        Entry entry(String sha256, Optional<Counts> counts, long inlineMax) {
            if (counts.isEmpty() && size <= inlineMax) {
                return new Entry(path, size, sha256, 0, 0, size);
            }
            return new Entry(path, size, sha256, counts.map(Counts::fresh).orElse(size),
                    counts.map(Counts::shared).orElse(0L));
        }
    }

    /** Every regular file below a local directory, ordered by path, or the single file; links are not followed. */
    static List<Source> below(Path directory) throws IOException {
        Path top = Files.isRegularFile(directory) ? Disk.directoryOf(directory.toAbsolutePath()) : directory;
        var sources = new ArrayList<Source>();
        Files.walkFileTree(Files.isRegularFile(directory) ? directory.toAbsolutePath() : directory,
                new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                if (attributes.isRegularFile()) {
                    sources.add(new Source(file, path(top, file), attributes.size(), attributes.lastModifiedTime()));
                }
                return FileVisitResult.CONTINUE;
            }
        });
        sources.sort(Comparator.comparing(Source::path));
        return sources;
    }

    /**
     * Digests of files that are being stored. Large ones are passed here while they are read for that; the others are
     * read in the background. Close it to stop reading.
     */
    static final class Underway implements Sharing.Told, AutoCloseable {
        private final List<Source> sources;
        private final Observer observer;
        private final Map<Path, MessageDigest> begun = new ConcurrentHashMap<>();
        private final Map<Path, String> found = new ConcurrentHashMap<>();
        private final Map<Path, Counts> counts = new ConcurrentHashMap<>();
        private final AtomicBoolean stopped = new AtomicBoolean();
        private final FutureTask<Void> task;
        private final Thread thread;

        Underway(List<Source> sources, int parallel, Observer observer) {
            this.sources = sources;
            this.observer = observer;
            this.task = new FutureTask<>(() -> compute(parallel), null);
            this.thread = Thread.ofPlatform().daemon().name("digests").start(task);
        }

        @Override
        public Consumer<ByteBuffer> reading(Path file) {
            var digest = sha256();
            begun.put(file, digest);
            return digest::update;
        }

        @Override
        public void file(Path file, Counts fate) {
            counts.put(file, fate);
            var digest = begun.remove(file);
            if (digest != null) {
                found.put(file, text(digest));
            }
        }

        private void compute(int parallel) {
            var watching = new Observer() {
                @Override
                public boolean cancelled() {
                    return stopped.get() || observer.cancelled();
                }
            };
            try (var crew = new TransferThreads(parallel)) {
                for (var source : sources) {
                    if (source.size() <= Sharing.SMALL) {
                        crew.submit(() -> found.put(source.file(), of(source.file(), watching)));
                    }
                }
                crew.finish();
            } catch (IOException failed) {
                throw new UncheckedIOException(failed);
            }
        }

        /** The manifest's entries, once all files are stored. */
        List<Entry> entries(long inlineMax) throws IOException {
            await();
            var entries = new ArrayList<Entry>();
            for (var source : sources) {
                var known = found.get(source.file());   // null: another name of a file, which nothing was read for
                String sha256 = known == null ? of(source.file(), observer) : known;
                entries.add(source.entry(sha256, Optional.ofNullable(counts.get(source.file())), inlineMax));
            }
            return entries;
        }

        private void await() throws IOException {
            try {
                task.get();
            } catch (ExecutionException failed) {
                throw failed.getCause() instanceof UncheckedIOException reason ? reason.getCause()
                        : new IOException(failed.getCause());
            } catch (InterruptedException stop) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("cancelled");
            }
        }

        @Override
        public void close() {
            stopped.set(true);
            boolean interrupted = false;
            while (thread.isAlive()) {
                try {
                    thread.join();
                } catch (InterruptedException stop) {
                    interrupted = true;
                }
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** The path as a volume shows it, whatever its bytes are. */
    private static String path(Path directory, Path file) throws IOException {
        var names = new StringJoiner("/");
        for (Path name : directory.relativize(file)) {
            names.add(Put.name(name).toString());
        }
        return names.toString();
    }

    /** The digest of a file in a volume; {@code looking} also receives all of its bytes. */
    static String of(OpenFile file, long size, Observer observer, Consumer<ByteBuffer> looking) throws IOException {
        var digest = sha256();
        SequentialReads.inOrder(file, size, (offset, piece) -> {
            requireGoingOn(observer);
            looking.accept(piece.duplicate());
            digest.update(piece);
        });
        return text(digest);
    }

    /** The digest of a local file. */
    static String of(Path file, Observer observer) throws IOException {
        var digest = sha256();
        var buffer = ByteBuffer.allocateDirect(PIECE);
        try (var in = FileChannel.open(file, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
            while (in.read(buffer.clear()) >= 0) {
                requireGoingOn(observer);
                digest.update(buffer.flip());
            }
        }
        return text(digest);
    }

    static void requireGoingOn(Observer observer) throws InterruptedIOException {
        if (observer.cancelled()) {
            throw new InterruptedIOException("cancelled");
        }
    }

    static String text(MessageDigest digest) {
        return HexFormat.of().formatHex(digest.digest());
    }

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("SHA-256 is not available", impossible);
        }
    }
}
