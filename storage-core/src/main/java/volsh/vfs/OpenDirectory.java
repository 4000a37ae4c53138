package volsh.vfs;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import volsh.fs.DirectoryEntry;
import volsh.fs.Name;

/**
 * An open directory, read in name order. A cookie is the ordinal of an entry within this handle. The handle remembers
 * the names of its last page and the name at which every read began. A reader may therefore take part of a page, or go
 * back to where any read began, and an entry that exists all the time appears exactly once, however the directory
 * changes. The read behind the last entry fails if entries are damaged or missing.
 */
public final class OpenDirectory {
    private final Vfs vfs;
    private final long ino;
    private final TreeMap<Long, Name> starts = new TreeMap<>();
    private List<Numbered> last = List.of();

    /** An entry and the cookie that continues behind it. */
    public record Numbered(long cookie, DirectoryEntry entry) {}

    OpenDirectory(Vfs vfs, long ino) {
        this.vfs = vfs;
        this.ino = ino;
    }

    public long ino() {
        return ino;
    }

    /** At most {@code limit} entries behind the cookie; 0 starts over. {@code .} and {@code ..} are the caller's. */
    public synchronized List<Numbered> read(long cookie, int limit) throws IOException {
        if (cookie == 0) {
            starts.clear();   // numbers start over, too
        } else if (!starts.containsKey(cookie)) {
            starts.put(cookie, nameAt(cookie, limit));
        }
        var found = new ArrayList<Numbered>();
        for (var entry : vfs.list(ino, starts.get(cookie), limit)) {
            found.add(new Numbered(cookie + found.size() + 1, entry));
        }
        if (found.isEmpty()) {
            vfs.requireWhole(ino, cookie);
        }
        last = found;
        return List.copyOf(found);
    }

    /** The name that had this number. In the middle of an older page it is exact only if that page is unchanged. */
    private @Nullable Name nameAt(long cookie, int limit) throws IOException {
        for (var entry : last) {
            if (entry.cookie() == cookie) {
                return entry.entry().name();
            }
        }
        var start = starts.floorEntry(cookie);
        long number = start == null ? 0 : start.getKey();
        Name name = start == null ? null : start.getValue();
        while (number < cookie) {
            var passed = vfs.list(ino, name, (int) Math.min(limit, cookie - number));
            if (passed.isEmpty()) {
                break;
            }
            number += passed.size();
            name = passed.getLast().name();
        }
        return name;
    }
}
