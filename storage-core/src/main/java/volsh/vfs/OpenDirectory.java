package volsh.vfs;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import volsh.fs.DirectoryEntry;
import volsh.fs.Name;

/**
 * A directory somebody reads, in name order. A cookie is the ordinal of an entry within this handle; the handle remembers
 * the last name before each page it gave, so a reader may go back to any page, and an entry that exists all along appears
 * exactly once however the directory changes.
 */
public final class OpenDirectory {
    private final Vfs vfs;
    private final long ino;
    private final List<Page> pages = new ArrayList<>();

    private record Page(long cookie, Name after) {}

    /** An entry and the cookie that continues behind it. */
    public record Numbered(long cookie, DirectoryEntry entry) {}

    OpenDirectory(Vfs vfs, long ino) {
        this.vfs = vfs;
        this.ino = ino;
        pages.add(new Page(0, null));
    }

    public long ino() {
        return ino;
    }

    /** At most {@code limit} entries behind the cookie; 0 starts over. {@code .} and {@code ..} are the caller's. */
    public synchronized List<Numbered> read(long cookie, int limit) throws IOException {
        var page = pageFor(cookie);
        long number = page.cookie();
        Name after = page.after();
        while (number < cookie) {   // the caller took only part of a page: walk to where it stopped
            var skipped = vfs.list(ino, after, (int) Math.min(limit, cookie - number));
            if (skipped.isEmpty()) {
                return List.of();
            }
            number += skipped.size();
            after = skipped.getLast().name();
        }
        var found = new ArrayList<Numbered>();
        for (var entry : vfs.list(ino, after, limit)) {
            found.add(new Numbered(++number, entry));
        }
        if (!found.isEmpty()) {
            remember(new Page(number, found.getLast().entry().name()));
        }
        return found;
    }

    private Page pageFor(long cookie) {
        for (int i = pages.size() - 1; i > 0; i--) {
            if (pages.get(i).cookie() <= cookie) {
                return pages.get(i);
            }
        }
        return pages.getFirst();
    }

    private void remember(Page page) {
        if (pages.getLast().cookie() < page.cookie()) {
            pages.add(page);
        }
    }
}
