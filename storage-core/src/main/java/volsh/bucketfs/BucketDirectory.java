package volsh.bucketfs;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import volsh.bucketfs.DirectoryStream.Position;
import volsh.fs.FileKind;
import volsh.fs.Name;
import volsh.fuse.FuseDirectory;
import volsh.fuse.FuseEntry;

/**
 * An open directory. A cookie is the ordinal of an entry within this handle. A directory that is known as a whole is
 * read from memory, as it was when reading began. Any other is streamed: two pages are in memory, and where each page
 * began is remembered, so that a reader can go back. Files that are being written come last.
 */
final class BucketDirectory implements FuseDirectory {
    private final BucketFileSystem files;
    private final BucketNode directory;
    private final TreeMap<Long, Position> starts = new TreeMap<>();
    private List<DirectoryItem> page = List.of();   // from the ordinal pageStart on
    private List<DirectoryItem> before = List.of();
    private long pageStart;
    private long pageSince;
    private @Nullable DirectoryStream stream;    // null if all entries are in the page
    private @Nullable List<DirectoryItem> collected;   // null if the directory is not going to be remembered
    private long began;
    private long changes;
    private Map<String, DirectoryItem> unstored = Map.of();   // not listed yet
    private boolean ended;

    BucketDirectory(BucketFileSystem files, BucketNode directory) {
        this.files = files;
        this.directory = directory;
    }

    @Override
    public synchronized List<Entry> read(long cookie, int limit) throws IOException {
        if (cookie == 0) {
            begin();
        }
        seek(cookie);
        var entries = new ArrayList<Entry>();
        while (entries.isEmpty()) {
            long end = pageStart + page.size();
            for (long at = cookie; at < end && entries.size() < limit; at++) {
                entries.add(entry(at));
            }
            if (entries.isEmpty() && !next()) {
                break;
            }
        }
        return entries;
    }

    private Entry entry(long ordinal) throws IOException {
        var item = item(ordinal);
        return new Entry(ordinal + 1, Name.of(item.name()), files.idOf(directory, item),
                item.isDirectory() ? FileKind.DIRECTORY : FileKind.REGULAR);
    }

    private DirectoryItem item(long ordinal) {
        return ordinal < pageStart ? before.get((int) (ordinal - pageStart + before.size()))
                : page.get((int) (ordinal - pageStart));
    }

    private void begin() throws IOException {
        starts.clear();
        before = List.of();
        page = List.of();
        pageStart = 0;
        ended = false;
        unstored = files.unstored(directory);
        files.walks().lists(directory);
        began = System.nanoTime();
        changes = files.names().changes(directory.prefix());
        var listed = files.names().listing(directory.prefix());
        if (listed != null) {
            stream = null;
            collected = null;
            page = withUnstored(listed.items());
            pageSince = listed.since();
            ended = true;
        } else {
            collected = new ArrayList<>();
            stream = files.stream(directory.prefix(), Position.START);
            starts.put(0L, Position.START);
        }
    }

    private List<DirectoryItem> withUnstored(List<DirectoryItem> items) {
        var all = new ArrayList<>(items);
        Set<String> listed = new HashSet<>();
        items.forEach(item -> listed.add(item.name()));
        unstored.values().stream().filter(item -> !listed.contains(item.name())).forEach(all::add);
        return all;
    }

    /** Makes the entry behind the cookie one of those in memory, or the next to come. */
    private void seek(long cookie) throws IOException {
        if (cookie >= pageStart - before.size() && cookie <= pageStart + page.size() || starts.isEmpty()) {
            return;
        }
        var start = starts.floorEntry(cookie);
        if (cookie < pageStart && start != null) {
            stream = files.stream(directory.prefix(), start.getValue());
            collected = null;
            before = List.of();
            page = List.of();
            pageStart = start.getKey();
            ended = false;
        }
        while (cookie > pageStart + page.size() && next()) {
            // reads on
        }
    }

    /** Goes on to the next page; false at the end. */
    private boolean next() throws IOException {
        var from = stream;
        if (ended || from == null) {
            return false;
        }
        long start = pageStart + page.size();
        starts.put(start, from.position());
        var items = from.page();
        if (items.isEmpty()) {
            ended = true;
            if (collected != null) {
                files.names().listed(directory.prefix(), collected, began, changes);
            }
            items = List.copyOf(unstored.values());
        } else {
            unstored = without(items);
            collect(items);
        }
        before = page;
        page = items;
        pageStart = start;
        pageSince = from.pageBegan();
        return !page.isEmpty();
    }

    private Map<String, DirectoryItem> without(List<DirectoryItem> items) {
        if (unstored.isEmpty()) {
            return unstored;
        }
        var left = new TreeMap<>(unstored);
        items.forEach(item -> left.remove(item.name()));
        return left;
    }

    private void collect(List<DirectoryItem> items) {
        if (collected != null) {
            collected.addAll(items);
            if (collected.size() > NameCache.DIRECTORY_MAX) {
                collected = null;
            }
        }
    }

    @Override
    public FuseEntry enter(Entry entry) throws IOException {
        DirectoryItem item;
        long since;
        synchronized (this) {
            item = item(entry.cookie() - 1);
            since = pageSince;
        }
        return files.enter(directory, item, since);
    }
}
