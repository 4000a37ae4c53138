package volsh.fuse.kernel;

import java.io.IOException;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import volsh.engine.MetaDamagedException;
import volsh.fs.Attributes;
import volsh.fs.DirectoryEntry;
import volsh.fs.FileKind;
import volsh.fuse.Handles;
import volsh.fuse.MountOptions;
import volsh.fuse.Policies;
import volsh.fuse.kernel.FuseStructs.*;
import volsh.vfs.OpenDirectory;
import volsh.vfs.Vfs;

/** The requests that read directories. Cookie 1 follows {@code .}, 2 follows {@code ..}; then come the entries. */
final class DirectoryRequests {
    private static final int OPEN_KEEP_CACHE = 2;
    private static final int OPEN_CACHE_DIRECTORY = 1 << 3;
    private static final int ENTRIES_PER_PAGE = 128;
    private static final int SHORTEST = 32;
    /** Stands for the thread: reading a directory is not a path walk. */
    private static final int NO_THREAD = -1;
    private static final int SHORTEST_PLUS = 160;
    /**
     * A page with damaged entries is sent without attributes, and one whose reader does not use them: a lookup of a
     * single file returns them, or the error.
     */
    private static final Map<Long, Attributes> UNKNOWN = Collections.unmodifiableMap(new HashMap<>());
    private static final byte[] DOT = {'.'};
    private static final byte[] DOT_DOT = {'.', '.'};

    private final Vfs vfs;
    private final MountOptions options;
    private final Handles handles;
    private final Policies policies;
    private final UnaryOperator<Attributes> seen;
    private final StalePaths ways;
    private final RemovedDirectories removed;
    private final ListingHabits habits;

    /** {@code seen} receives the attributes that are about to be sent to the kernel. */
    DirectoryRequests(Vfs vfs, MountOptions options, Handles handles, Policies policies, StalePaths ways,
            RemovedDirectories removed, ListingHabits habits, UnaryOperator<Attributes> seen) {
        this.removed = removed;
        this.habits = habits;
        this.ways = ways;
        this.policies = policies;
        this.seen = seen;
        this.vfs = vfs;
        this.options = options;
        this.handles = handles;
    }

    void open(Request in, Reply reply, long node) throws IOException {
        var last = removed.last(node);
        var fixed = last != null ? last : policies.fixed(node);
        long handle = handles.addDirectory(fixed != null ? vfs.openDirectory(fixed)
                : ways.come(in.process(), node, 1, come -> vfs.openDirectory(node, come)));
        int flags = policies.isImmutable(node) ? OPEN_KEEP_CACHE | OPEN_CACHE_DIRECTORY : 0;
        reply.opens(handle, flags, null);
    }

    void read(Request in, Reply reply, long node, boolean plus) throws IOException {
        var directory = handles.directory(in.get(ReadIn.FH));
        int limit = Math.min(in.get(ReadIn.SIZE), Request.PAYLOAD_MAX);
        long cookie = in.get(ReadIn.OFFSET);
        if (cookie == 0) {
            dot(reply, node, 1, DOT, plus, limit);
        }
        if (cookie <= 1) {
            dot(reply, node == options.root() ? node : vfs.parent(node), 2, DOT_DOT, plus, limit);
        }
        boolean bare = plus && !habits.wantsAttributes(in.process(), cookie == 0);
        long at = Math.max(0, cookie - 2);
        long begun = reply.size();
        while (true) {
            var page = page(directory, at, Math.min(ENTRIES_PER_PAGE,
                    1 + (limit - (int) reply.size()) / (plus ? SHORTEST_PLUS : SHORTEST)), reply.size() > begun);
            if (page.isEmpty() || !addAll(reply, directory.ino(), page, plus, bare, limit)) {
                return;
            }
            at = page.getLast().cookie();
        }
    }

    /** A failed read ends a reply that already has entries: they are delivered, and the next request fails. */
    private static List<OpenDirectory.Numbered> page(OpenDirectory directory, long at, int limit, boolean answered)
            throws IOException {
        try {
            return directory.read(at, limit);
        } catch (MetaDamagedException damaged) {
            if (answered) {
                return List.of();
            }
            throw damaged;
        }
    }

    private void dot(Reply reply, long ino, long cookie, byte[] name, boolean plus, int limit) throws IOException {
        if (plus) {
            reply.directoryEntryPlus(vfs.attributes(ino), false, cookie, name, limit);
        } else {
            reply.directoryEntry(ino, cookie, FileKind.DIRECTORY.code(), name, limit);
        }
    }

    /** Adds the entries that fit; false if not all did. */
    private boolean addAll(Reply reply, long directory, List<OpenDirectory.Numbered> page, boolean plus, boolean bare,
            int limit) throws IOException {
        var known = bare ? UNKNOWN : plus ? attributes(page) : Map.<Long, Attributes>of();
        for (var numbered : page) {
            var entry = numbered.entry();
            var attributes = known.get(entry.ino());
            if (plus && attributes == null && known != UNKNOWN) {
                continue;   // removed since it was listed
            }
            long cookie = numbered.cookie() + 2;
            byte[] name = entry.name().bytes();
            boolean fits;
            if (!plus) {
                fits = reply.directoryEntry(entry.ino(), cookie, entry.kind().code(), name, limit);
            } else if (attributes == null) {
                fits = reply.directoryEntryPlus(entry.ino(), cookie, entry.kind().code(), name, limit);
            } else {
                var found = ways.told(NO_THREAD, directory, entry.name(),
                        policies.found(directory, seen.apply(attributes)));
                fits = reply.directoryEntryPlus(found, true, cookie, name, limit);
            }
            if (!fits) {
                return false;
            }
        }
        return true;
    }

    private Map<Long, Attributes> attributes(List<OpenDirectory.Numbered> page) throws IOException {
        List<DirectoryEntry> entries = page.stream().map(OpenDirectory.Numbered::entry).toList();
        var known = new HashMap<Long, Attributes>();
        try {
            for (var attributes : vfs.attributes(entries)) {
                known.put(attributes.ino(), attributes);
            }
            return known;
        } catch (MetaDamagedException some) {
            return UNKNOWN;
        }
    }
}
