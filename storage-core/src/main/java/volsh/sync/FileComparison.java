package volsh.sync;

import java.io.IOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.regex.Pattern;
import volsh.tree.FileTree;
import volsh.tree.TreeEntry;

/** Whether a file and its copy are the same: by size and time, or by their bytes. */
final class FileComparison {
    /** Buckets tell times in whole seconds. */
    private static final long OBJECT_TIMES = 999_999_999;
    private static final String SHA_256 = "SHA-256";
    /** Smaller files are read to compare them with an ETag. */
    private static final long READ_MAX = 1 << 20;
    private static final Pattern MD5 = Pattern.compile("\"?[0-9a-f]{32}\"?");

    private final FileTree source;
    private final FileTree target;
    private final SyncSettings settings;

    FileComparison(FileTree source, FileTree target, SyncSettings settings) {
        this.source = source;
        this.target = target;
        this.settings = settings;
    }

    /** What the entries alone say. */
    enum Answer {
        SAME,
        DIFFERENT,
        /** {@link #isSame} has to ask the places. */
        UNKNOWN
    }

    Answer look(TreeEntry file, TreeEntry copy) throws IOException {
        if (file.attributes().kind() != copy.attributes().kind()) {
            return Answer.DIFFERENT;
        }
        if (!file.isRegular()) {
            return file.isDirectory() || source.target(file).equals(target.target(copy))
                    ? Answer.SAME : Answer.DIFFERENT;
        }
        if (settings.newer() && copy.modified() > file.modified()) {
            return Answer.SAME;
        }
        if (file.size() != copy.size()) {
            return Answer.DIFFERENT;
        }
        if (settings.copies().checksum()) {
            return Answer.UNKNOWN;
        }
        if (target.keepsAttributes()) {
            return copy.modified() == file.modified() ? Answer.SAME : Answer.DIFFERENT;
        }
        if (copy.modified() + OBJECT_TIMES < file.modified()) {
            return Answer.DIFFERENT;       // the object was stored before the file changed
        }
        if (source.keepsAttributes()) {
            return Answer.UNKNOWN;
        }
        boolean same = !isMd5(file.etag()) || !isMd5(copy.etag()) || file.etag().equals(copy.etag());
        return same ? Answer.SAME : Answer.DIFFERENT;
    }

    /** Of an object that was stored with one request. */
    private static boolean isMd5(String etag) {
        return MD5.matcher(etag).matches();
    }

    /** Reads what is needed to be sure. Several threads at a time. */
    boolean isSame(TreeEntry file, TreeEntry copy) throws IOException {
        if (settings.copies().checksum()) {
            return MessageDigest.isEqual(digest(source, file, SHA_256), digest(target, copy, SHA_256));
        }
        if (file.size() <= READ_MAX && isMd5(copy.etag()) && source.keepsAttributes()
                && copy.etag().equals(HexFormat.of().formatHex(digest(source, file, "MD5")))) {
            return true;        // to read it takes less than a request
        }
        long original = target.originalModified(copy);
        return original == file.modified() || original == copy.modified();    // or stored by another program, later
    }

    private static byte[] digest(FileTree tree, TreeEntry file, String name) throws IOException {
        try (var reader = tree.open(file)) {
            var digest = MessageDigest.getInstance(name);
            reader.read(0, reader.size(), digest::update);
            reader.requireUnchanged();
            return digest.digest();
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("every Java has " + name, impossible);
        }
    }
}
