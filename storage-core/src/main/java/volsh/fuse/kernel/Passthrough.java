package volsh.fuse.kernel;

import java.lang.System.Logger.Level;
import java.lang.System.Logger;
import java.lang.foreign.Arena;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import volsh.fs.Attributes;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fuse.BackingFiles;
import volsh.fuse.BackingFiles.BackingFile;
import volsh.fuse.Native;
import volsh.fuse.kernel.FuseStructs.BackingMap;

/**
 * Has the kernel read files from backing files, without requests. The kernel demands that all opens of a file that
 * exist at the same time are alike: a file that is open in the usual way is not opened so, and opens of one that is
 * share its backing file. Thread-safe.
 */
final class Passthrough {
    /** The flag of a file that is opened so. */
    static final int OPEN = 1 << 7;
    /** Of a file that is opened in the usual way. */
    static final int NONE = 0;

    private static final Logger LOG = System.getLogger("volsh.mount");
    private static final long BACKING_OPEN = 0x4010E501L;
    private static final long BACKING_CLOSE = 0x4004E502L;

    private final int device;
    private final BackingFiles files;
    private final Map<Long, Opens> opens = new HashMap<>();   // by inode
    private final Map<Long, Opens> handles = new HashMap<>();   // of files that are read from their backing files
    private volatile boolean refused;

    /** {@code device} is the descriptor of the mount, whose kernel has agreed to this. */
    Passthrough(int device, BackingFiles files) {
        this.device = device;
        this.files = files;
    }

    /** Ends all, when the mount has ended: the kernel no longer reads. */
    synchronized void close() {
        for (var each : handles.values()) {
            if (each.file != null) {
                each.file.close();
                each.file = null;
            }
        }
        handles.clear();
        opens.clear();
    }

    /** How one file is open. */
    private static final class Opens {
        private final long ino;
        private long version;
        private int usual;
        private int backed;
        private int id;
        private @Nullable BackingFile file;   // while it is backed

        Opens(long ino) {
            this.ino = ino;
        }
    }

    /**
     * The number of the backing file for a handle that is being opened, or {@link #NONE}; {@code reads}: only to read,
     * {@code fixed}: its bytes cannot change. Each call is followed by {@link #closed}.
     *
     * @throws FsException if the file is still open from its backing file, and may be changed or was changed since: it
     *     was immutable, and is not any more
     */
    synchronized int opened(long handle, Attributes attributes, boolean reads, boolean fixed) throws FsException {
        boolean eligible = reads && (fixed || files.areAllFixed());
        var known = opens.computeIfAbsent(attributes.ino(), Opens::new);
        if (known.backed > 0) {
            if (!eligible || known.version != attributes.version()) {
                throw new FsException(FsError.BUSY);
            }
        } else if (!eligible || !back(known, attributes)) {
            known.usual++;
            return NONE;
        }
        known.backed++;
        handles.put(handle, known);
        Objects.requireNonNull(known.file).opened();
        return known.id;
    }

    /** Asks for a copy in any case: who has them counts how often a file is opened. */
    private boolean back(Opens known, Attributes attributes) {
        var file = files.find(attributes);
        int id = file == null || known.usual > 0 || refused ? NONE : register(file);
        if (id > 0) {
            known.id = id;
            known.file = file;
            known.version = attributes.version();
        } else if (file != null) {
            file.close();
        }
        return id > 0;
    }

    /** The kernel's number for the file; negative if it takes none. */
    private int register(BackingFile file) {
        try (var arena = Arena.ofConfined()) {
            var map = arena.allocate(BackingMap.BYTES);
            BackingMap.FD.set(map, 0, file.descriptor());
            int id = new Native(arena).ioctl(device, BACKING_OPEN, map);
            if (id < 0) {   // no privilege, or a file system that is stacked itself: it will not change
                refused = true;
                LOG.log(Level.WARNING, "the kernel refuses backing files (error %d): --cache-expand has no effect"
                        .formatted(-id));
            }
            return id;
        }
    }

    /** Each handle is closed once, also one whose file was refused. */
    synchronized void closed(long handle, long ino) {
        var backed = handles.remove(handle);
        var known = backed == null ? opens.get(ino) : backed;
        if (known == null) {
            return;
        }
        if (backed == null) {
            known.usual--;
        } else if (--known.backed == 0) {
            end(known);
        }
        if (known.usual <= 0 && known.backed == 0) {
            opens.remove(known.ino);
        }
    }

    private void end(Opens known) {
        try (var arena = Arena.ofConfined()) {
            var id = arena.allocate(Integer.BYTES);
            BackingMap.FD.set(id, 0, known.id);
            new Native(arena).ioctl(device, BACKING_CLOSE, id);
        }
        Objects.requireNonNull(known.file).close();
        known.file = null;
    }
}
