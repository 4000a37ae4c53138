package volsh.cache.disk;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import volsh.proc.KernelFile;

/**
 * Keeps the files of recently read blocks open: opening one takes a look into its directory, at its inode and its
 * table, which is more than a small read itself. A file that another process deleted or wrote to is opened again: its
 * name is looked up each time, which is in the memory of the kernel while the file is open. Code that writes to a file
 * or deletes it here calls {@link #forget}. Thread-safe.
 */
final class OpenBlocks implements AutoCloseable {
    private static final int MOST = 1024;
    private static final int LEAST = 16;
    /** The part of the descriptors of the process, as a divisor, for one directory. */
    private static final int DESCRIPTORS_PART = 16;
    private static final Pattern LIMIT = Pattern.compile("Max open files\\s+(\\d+)");
    private static final int STRIPES = 64;

    private final BlockFiles files;
    private final int most;
    private final Map<Long, OpenBlock> open = new LinkedHashMap<>(16, 0.75f, true);
    private final long[] changes = new long[STRIPES];   // so that a file opened before a change is not kept
    private boolean closed;

    OpenBlocks(BlockFiles files) {
        this(files, most());
    }

    OpenBlocks(BlockFiles files, int most) {
        this.files = files;
        this.most = most;
    }

    private static int most() {
        try {
            var limit = LIMIT.matcher(KernelFile.text(Path.of("/proc/self/limits")));
            return limit.find() ? Math.clamp(Long.parseLong(limit.group(1)) / DESCRIPTORS_PART, LEAST, MOST) : MOST;
        } catch (IOException | NumberFormatException elsewhere) {
            return LEAST;
        }
    }

    private static int stripe(long block) {
        return (int) block & STRIPES - 1;
    }

    /**
     * The file of the block.
     *
     * @throws NoSuchFileException if it is not cached
     * @throws BlockFile.DamagedException if it is damaged
     */
    OpenBlock take(long block) throws IOException {
        var stamp = files.stamp(block);
        long before;
        OpenBlock known;
        synchronized (this) {
            before = changes[stripe(block)];
            known = open.get(block);
            if (known != null && known.isStill(stamp)) {
                known.users++;
                return known;
            }
        }
        if (known != null) {
            forget(block);
            return take(block);
        }
        var file = files.open(block);
        try {
            var made = new OpenBlock(this, files.form(block), file, stamp);
            keep(block, made, before);
            return made;
        } catch (IOException | RuntimeException failed) {
            file.close();
            throw failed;
        }
    }

    private void keep(long block, OpenBlock made, long before) {
        var over = new ArrayList<OpenBlock>();
        synchronized (this) {
            made.leaving = closed || changes[stripe(block)] != before || open.containsKey(block);
            if (!made.leaving) {
                open.put(block, made);
                for (var eldest = open.values().iterator(); open.size() > most; ) {
                    leave(eldest.next(), over);
                    eldest.remove();
                }
            }
        }
        end(over);
    }

    /** Called under the lock: closes it now, or with its last user. */
    private static void leave(OpenBlock block, List<OpenBlock> idle) {
        block.leaving = true;
        if (block.users == 0) {
            idle.add(block);
        }
    }

    private static void end(List<OpenBlock> idle) {
        for (var block : idle) {
            try {
                block.end();
            } catch (IOException ignored) {
                // it was only read
            }
        }
    }

    void giveBack(OpenBlock block) {
        boolean last;
        synchronized (this) {
            block.users--;
            last = block.leaving && block.users == 0;
        }
        end(last ? List.of(block) : List.of());
    }

    /** The file was, or may have been, written to or deleted. */
    void forget(long block) {
        var idle = new ArrayList<OpenBlock>();
        synchronized (this) {
            changes[stripe(block)]++;
            var known = open.remove(block);
            if (known != null) {
                leave(known, idle);
            }
        }
        end(idle);
    }

    synchronized int count() {
        return open.size();
    }

    /** Closes all files; those in use are closed by their last user. */
    @Override
    public void close() {
        var idle = new ArrayList<OpenBlock>();
        synchronized (this) {
            closed = true;
            open.values().forEach(block -> leave(block, idle));
            open.clear();
        }
        end(idle);
    }
}
