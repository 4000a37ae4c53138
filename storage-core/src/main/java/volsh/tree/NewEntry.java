package volsh.tree;

import java.util.Map;

/**
 * A file to be written.
 *
 * @param path relative to the tree
 * @param size how many bytes it will have
 * @param mode permission bits; negative for the default. Buckets have none
 * @param modified nanoseconds since the epoch; negative for now. Buckets do not keep it
 * @param metadata of an object
 * @param part the length of parts where it is sent in parts
 * @param origin names the original and the state of it whose parts may be used again after an interruption; empty for
 *     none
 */
public record NewEntry(String path, long size, int mode, long modified, Map<String, String> metadata, long part,
        String origin) {
    public static final long PART = 16L << 20;

    public NewEntry {
        metadata = Map.copyOf(metadata);
    }

    public static NewEntry of(String path, long size) {
        return new NewEntry(path, size, -1, -1, Map.of(), PART, "");
    }

    public NewEntry withPart(long length) {
        return new NewEntry(path, size, mode, modified, metadata, length, origin);
    }

    public NewEntry withMetadata(Map<String, String> more) {
        return new NewEntry(path, size, mode, modified, more, part, origin);
    }

    public NewEntry withSize(long bytes) {
        return new NewEntry(path, bytes, mode, modified, metadata, part, origin);
    }

    public NewEntry withOrigin(String original) {
        return new NewEntry(path, size, mode, modified, metadata, part, original);
    }
}
