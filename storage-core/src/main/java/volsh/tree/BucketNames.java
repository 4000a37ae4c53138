package volsh.tree;

import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;

/** Which names of files can be keys of a bucket. */
final class BucketNames {
    private static final int KEY_BYTES = 1024;

    private BucketNames() {}

    /** @throws FileSystemException if no object can have this key */
    static void require(String key, String bucket) throws FileSystemException {
        String objection = key.isEmpty() ? "an object needs a key"
                : key.getBytes(StandardCharsets.UTF_8).length > KEY_BYTES
                ? "a key has at most %d bytes".formatted(KEY_BYTES)
                : key.indexOf('\uFFFD') >= 0 ? "a key is text in UTF-8, and this name is not"
                : key.indexOf('\0') >= 0 ? "a key cannot contain NUL" : "";
        if (!objection.isEmpty()) {
            throw new FileSystemException(bucket + key.replaceAll("\\p{Cntrl}", "?"), null, objection);
        }
    }
}
