package volsh.gateway;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;
import volsh.fs.Attributes;
import volsh.fs.DirectoryEntry;
import volsh.fs.FileKind;
import volsh.fs.Name;

/**
 * A page of the keys of a bucket, in the order of S3, by walking directories in that order: {@code a.txt} comes before
 * {@code a/b}, though the file system lists {@code a} first. Reads no more of a directory than the page needs.
 */
final class ObjectListing {
    private static final int PAGE = 500;
    private static final char SLASH = '/';

    private final Bucket bucket;
    private final String prefix;
    private final String delimiter;
    private final String after;
    private final int most;
    private final List<Entry> found = new ArrayList<>();
    private String lastPrefix = "";

    /** A key, or a prefix that several keys share, in the order of {@link KeyOrder}; {@code file} is null for those. */
    record Found(String key, @Nullable Attributes file) {
        boolean isPrefix() {
            return file == null;
        }
    }

    /** {@code entry} is null for a prefix that is listed. */
    private record Entry(String key, @Nullable DirectoryEntry entry) implements Comparable<Entry> {
        @Override
        public int compareTo(Entry other) {
            return key.compareTo(other.key);
        }
    }

    /** Keys behind {@code after} that begin with the prefix; those that share it up to the delimiter are one. */
    ObjectListing(Bucket bucket, String prefix, String delimiter, String after, int most) {
        this.bucket = bucket;
        this.prefix = KeyOrder.of(prefix);
        this.delimiter = KeyOrder.of(delimiter);
        this.after = KeyOrder.of(after);
        this.most = most;
    }

    /** One more than asked for if there are more. */
    List<Found> run() throws IOException {
        find();
        var files = new HashMap<Long, Attributes>();
        var entries = found.stream().map(Entry::entry).filter(Objects::nonNull).toList();
        bucket.vfs().attributes(entries).forEach(each -> files.put(each.ino(), each));
        var listed = new ArrayList<Found>();
        for (var each : found) {
            if (each.entry() == null) {
                listed.add(new Found(each.key(), null));
            } else if (files.containsKey(each.entry().ino())) {   // else it was removed meanwhile
                listed.add(new Found(each.key(), files.get(each.entry().ino())));
            }
        }
        return listed;
    }

    private void find() throws IOException {
        String directory = prefix.substring(0, prefix.lastIndexOf(SLASH) + 1);
        var names = new ArrayList<Name>();
        for (String part : directory.isEmpty() ? new String[0] : directory.split("/")) {
            if (part.isEmpty() || part.length() > Name.LENGTH_MAX || part.equals(".") || part.equals("..")) {
                return;
            }
            names.add(Name.of(KeyOrder.bytes(part)));
        }
        var start = bucket.directory(names);
        if (start.isPresent()) {
            walk(start.get(), directory);
        }
    }

    /** Adds what is in a directory; false if the page is full. */
    private boolean walk(long directory, String path) throws IOException {
        var later = new PriorityQueue<Entry>();   // directories wait until their slash is next
        Optional<Name> from = start(directory, path, later);
        boolean any = !later.isEmpty() || from.isPresent();
        Name at = from.orElse(null);
        while (true) {
            var page = bucket.vfs().list(directory, at, PAGE);
            for (var entry : page) {
                any = true;
                if (!entryIn(path, entry, later)) {
                    return false;
                }
            }
            if (page.size() < PAGE) {
                break;
            }
            at = page.getLast().name();
        }
        if (!visitUntil(null, later)) {
            return false;
        }
        return any || emptyDirectory(directory, path);
    }

    private boolean entryIn(String path, DirectoryEntry entry, PriorityQueue<Entry> later) throws IOException {
        String name = KeyOrder.of(entry.name().bytes());
        if (path.isEmpty() && name.equals(MultipartUploads.DIRECTORY)) {
            return true;
        }
        if (entry.kind() == FileKind.DIRECTORY) {
            later.add(new Entry(path + name + SLASH, entry));
            return visitUntil(path + name, later);
        }
        return visitUntil(path + name, later)
                && (entry.kind() != FileKind.REGULAR || visit(path + name, entry));
    }

    /**
     * The name behind which the listing of a directory begins. Directories whose names are a beginning of the next
     * one's sort before it and yet may come later: they are looked up.
     */
    private Optional<Name> start(long directory, String path, PriorityQueue<Entry> later) throws IOException {
        String least = after.compareTo(prefix) > 0 ? after : prefix;
        if (!least.startsWith(path) || least.length() == path.length()) {
            return Optional.empty();
        }
        String rest = least.substring(path.length());
        int slash = rest.indexOf(SLASH);
        String part = slash < 0 ? rest : rest.substring(0, slash);
        if (part.isEmpty() || part.length() > Name.LENGTH_MAX) {
            return Optional.empty();
        }
        for (int length = 1; length < part.length(); length++) {
            if (part.charAt(length) < SLASH) {
                addDirectory(directory, path, part.substring(0, length), later);
            }
        }
        return before(part);
    }

    private void addDirectory(long directory, String path, String name, PriorityQueue<Entry> later)
            throws IOException {
        if (name.equals(".") || name.equals("..")) {
            return;
        }
        var it = Name.of(KeyOrder.bytes(name));
        var found = bucket.lookup(directory, it).filter(Attributes::isDirectory);
        if (found.isPresent()) {
            later.add(new Entry(path + name + SLASH, new DirectoryEntry(it, found.get().ino(), FileKind.DIRECTORY)));
        }
    }

    /** A name that sorts before this one and behind all that do. */
    private static Optional<Name> before(String part) throws IOException {
        byte[] bytes = KeyOrder.bytes(part);
        int last = bytes.length - 1;
        if ((bytes[last] & 0xff) <= 1) {
            return last == 0 ? Optional.empty() : name(Arrays.copyOf(bytes, last));
        }
        byte[] shorter = Arrays.copyOf(bytes, Math.min(Name.LENGTH_MAX, bytes.length + 64));
        shorter[last]--;
        if (shorter[last] == SLASH) {
            shorter[last]--;
        }
        Arrays.fill(shorter, last + 1, shorter.length, (byte) 0xff);
        return name(shorter);
    }

    private static Optional<Name> name(byte[] bytes) throws IOException {
        String text = KeyOrder.of(bytes);
        return text.equals(".") || text.equals("..") ? Optional.empty() : Optional.of(Name.of(bytes));
    }

    /** Visits the waiting directories that come before this key; all if it is null. */
    private boolean visitUntil(@Nullable String key, PriorityQueue<Entry> later) throws IOException {
        while (!later.isEmpty() && (key == null || later.peek().key().compareTo(key) < 0)) {
            var next = later.remove();
            if (!visit(next.key(), Objects.requireNonNull(next.entry()))) {
                return false;
            }
        }
        return true;
    }

    /** Adds an entry, or what is below it; false if the page is full. */
    private boolean visit(String key, DirectoryEntry entry) throws IOException {
        if (entry.kind() != FileKind.DIRECTORY) {
            return !key.startsWith(prefix) || key.compareTo(after) <= 0 || KeyOrder.text(key).isEmpty()
                    || add(key, entry);
        }
        if (!key.startsWith(prefix) && !prefix.startsWith(key)
                || key.compareTo(after) < 0 && !after.startsWith(key)) {
            return true;   // all keys below it are elsewhere, or were listed before
        }
        if (delimiter.equals("/") && key.startsWith(prefix) && key.length() > prefix.length()) {
            return after.startsWith(key) || KeyOrder.text(key).isEmpty() || addPrefix(key);
        }
        return walk(entry.ino(), key);
    }

    private boolean emptyDirectory(long directory, String path) throws IOException {
        if (path.isEmpty() || !path.startsWith(prefix) || path.compareTo(after) <= 0
                || KeyOrder.text(path).isEmpty()) {
            return true;
        }
        var attributes = bucket.vfs().attributes(directory);
        return !bucket.isObject(attributes)
                || add(path, new DirectoryEntry(Name.of("directory"), directory, FileKind.DIRECTORY));
    }

    private boolean add(String key, DirectoryEntry entry) {
        int end = delimiter.isEmpty() ? -1 : key.indexOf(delimiter, prefix.length());
        if (end >= 0) {
            String shared = key.substring(0, end + delimiter.length());
            return after.startsWith(shared) || addPrefix(shared);
        }
        found.add(new Entry(key, entry));
        return found.size() <= most;
    }

    private boolean addPrefix(String shared) {
        if (!shared.equals(lastPrefix) || found.isEmpty()) {
            lastPrefix = shared;
            found.add(new Entry(shared, null));
        }
        return found.size() <= most;
    }
}
