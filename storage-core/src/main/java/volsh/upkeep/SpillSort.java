package volsh.upkeep;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/** Sorts tuples of unsigned numbers. What does not fit into memory goes to an unnamed temporary file. */
public final class SpillSort implements AutoCloseable {
    private static final int RUN = 1 << 17;
    private static final int BUFFER = 16 << 10;
    private static final Comparator<long[]> ORDER = Arrays::compareUnsigned;

    private final Path directory;
    private final int width;
    private final int run;
    private final List<Run> runs = new ArrayList<>();
    private List<long[]> pending = new ArrayList<>();
    private @Nullable FileChannel file;
    private long end;

    private record Run(long offset, int count) {}

    public SpillSort(Path directory, int width) {
        this(directory, width, RUN);
    }

    public SpillSort(Path directory, int width, int run) {
        this.directory = directory;
        this.width = width;
        this.run = run;
    }

    public void add(long... tuple) throws IOException {
        pending.add(tuple);
        if (pending.size() == run) {
            write();
        }
    }

    private void write() throws IOException {
        if (file == null) {
            file = ScratchFile.open(directory);
        }
        pending.sort(ORDER);
        var bytes = ByteBuffer.allocate(pending.size() * width * Long.BYTES);
        for (long[] tuple : pending) {
            for (long number : tuple) {
                bytes.putLong(number);
            }
        }
        bytes.flip();
        runs.add(new Run(end, pending.size()));
        while (bytes.hasRemaining()) {
            end += file.write(bytes, end);
        }
        pending = new ArrayList<>();
    }

    /** All tuples in order. Nothing may be added any more. */
    public Sorted sorted() throws IOException {
        pending.sort(ORDER);
        var sources = new ArrayList<Source>();
        sources.add(new Memory(pending.iterator()));
        for (var each : runs) {
            sources.add(new Stored(Objects.requireNonNull(file), each));
        }
        return new Sorted(sources);
    }

    private interface Source {
        /** The next tuple; null at the end. */
        long @Nullable [] next() throws IOException;
    }

    private record Memory(Iterator<long[]> tuples) implements Source {
        @Override
        public long @Nullable [] next() {
            return tuples.hasNext() ? tuples.next() : null;
        }
    }

    private final class Stored implements Source {
        private final ByteBuffer bytes = ByteBuffer.allocate(BUFFER / (width * Long.BYTES) * width * Long.BYTES)
                .limit(0);
        private long offset;
        private long left;
        private final FileChannel from;

        Stored(FileChannel from, Run run) {
            this.from = from;
            this.offset = run.offset();
            this.left = (long) run.count() * width * Long.BYTES;
        }

        @Override
        public long @Nullable [] next() throws IOException {
            if (!bytes.hasRemaining() && left > 0) {
                fill();
            }
            if (!bytes.hasRemaining()) {
                return null;
            }
            long[] tuple = new long[width];
            for (int i = 0; i < width; i++) {
                tuple[i] = bytes.getLong();
            }
            return tuple;
        }

        private void fill() throws IOException {
            bytes.clear().limit((int) Math.min(bytes.capacity(), left));
            while (bytes.hasRemaining()) {
                if (from.read(bytes, offset + bytes.position()) < 0) {
                    throw new IOException("a temporary file was truncated");
                }
            }
            bytes.flip();
            offset += bytes.limit();
            left -= bytes.limit();
        }
    }

    /** Tuples in order. */
    public static final class Sorted {
        private final PriorityQueue<Head> heads = new PriorityQueue<>((a, b) -> ORDER.compare(a.tuple, b.tuple));

        private record Head(long[] tuple, Source source) {}

        private Sorted(List<Source> sources) throws IOException {
            for (var source : sources) {
                offer(source);
            }
        }

        private void offer(Source source) throws IOException {
            long[] tuple = source.next();
            if (tuple != null) {
                heads.add(new Head(tuple, source));
            }
        }

        /** The next tuple, without consuming it; null at the end. */
        public long @Nullable [] peek() {
            var head = heads.peek();
            return head == null ? null : head.tuple;
        }

        /** Consumes the next tuple. @throws java.util.NoSuchElementException at the end */
        public long[] next() throws IOException {
            var head = heads.remove();
            offer(head.source);
            return head.tuple;
        }

        /** Consumes the next tuple if it begins with this number; otherwise null. */
        public long @Nullable [] next(long first) throws IOException {
            long[] head = peek();
            return head != null && head[0] == first ? next() : null;
        }
    }

    @Override
    public void close() throws IOException {
        if (file != null) {
            file.close();
        }
    }
}
