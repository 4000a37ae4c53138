package volsh.fuse.jnr;

import static java.lang.foreign.ValueLayout.ADDRESS;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import volsh.fuse.MountFlag;
import volsh.fuse.MountOptions;

/** libfuse's objects of a mount: its channel to the kernel and the file system that answers on it. */
record JnrSession(LibFuse library, long fuse, long session, long channel) {
    /** Mounts. @throws IOException if libfuse fails, after printing the reason to stderr */
    static JnrSession start(LibFuse library, Path point, MountOptions options, OperationTable operations)
            throws IOException {
        try (var arena = Arena.ofConfined()) {
            var words = List.of("volsh", "-f", "-o", words(options), point.toString());
            var answers = arena.allocate(16, 8);   // for a copy of the mount point, and for whether to use threads
            long fuse = library.fuse_setup(
                    words.size(), vector(arena, words).address(), operations.address(), operations.length(),
                    answers.address(), answers.address() + 8, 0);
            if (fuse == 0) {
                throw new IOException("libfuse cannot mount on %s (see its message on standard error)"
                        .formatted(point));
            }
            long session = library.fuse_get_session(fuse);
            return new JnrSession(library, fuse, session, library.fuse_session_next_chan(session, 0));
        }
    }

    private static MemorySegment vector(Arena arena, List<String> words) {
        var vector = arena.allocate(ADDRESS, words.size() + 1L);
        for (int i = 0; i < words.size(); i++) {
            vector.setAtIndex(ADDRESS, i, arena.allocateFrom(words.get(i)));
        }
        return vector;
    }

    /** {@code hard_remove}: an open unlinked file is used by its handle; libfuse must not hide it under a name. */
    private static String words(MountOptions options) {
        var timeouts = "attr_timeout=%s,entry_timeout=%s,negative_timeout=0".formatted(
                seconds(attributeTimeout(options)), seconds(options.entryTimeout()));
        return "default_permissions,use_ino,hard_remove,big_writes,noatime,%s,%s%s%s%s,subtype=volsh,fsname=%s,%s"
                .formatted(options.has(MountFlag.SET_ID) ? "suid" : "nosuid", options.has(MountFlag.DEVICES)
                        ? "dev" : "nodev", options.has(MountFlag.NO_EXECUTION) ? ",noexec" : "",
                options.has(MountFlag.READ_ONLY) ? ",ro" : "", options.has(MountFlag.ALLOW_OTHER) ? ",allow_other" : "",
                options.source().replace("\\", "\\\\").replace(",", "\\,"), timeouts);
    }

    /**
     * The kernel caches the mode separately for each name of a program and cannot drop a single one: with set-id bits
     * it is asked each time.
     */
    private static Duration attributeTimeout(MountOptions options) {
        return options.has(MountFlag.SET_ID) ? Duration.ZERO : options.attributeTimeout();
    }

    private static String seconds(Duration time) {
        return "%d.%09d".formatted(time.toSeconds(), time.toNanosPart());
    }

    /** The descriptor of /dev/fuse. */
    int descriptor() {
        return library.fuse_chan_fd(channel);
    }

    /** Bytes of the largest request. */
    long requestSize() {
        return library.fuse_chan_bufsize(channel);
    }

    /**
     * Waits for a request; its length, 0 if there will be none, or a negative error number. {@code pointer}: 8 bytes.
     */
    int receive(MemorySegment pointer, MemorySegment buffer) {
        pointer.set(ADDRESS, 0, MemorySegment.ofAddress(channel));
        return library.fuse_chan_recv(pointer.address(), buffer.address(), buffer.byteSize());
    }

    void answer(MemorySegment buffer, int length) {
        library.fuse_session_process(session, buffer.address(), length, channel);
    }

    /** Releases everything. No thread may be in libfuse any more. */
    void destroy() {
        library.fuse_destroy(fuse);
    }
}
